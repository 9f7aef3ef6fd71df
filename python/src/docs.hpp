// Docstrings from the comments of include/humpty/humpty.hpp: see docstrings.py.
#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace humpty::python {

inline constexpr std::pair<std::string_view, const char*> kDocs[] = {
#include "docstrings.inc"
};

// Of a name as C++ has it, "Certificate::mse"; empty where the header says nothing.
inline const char* doc(std::string_view name) {
  for (const auto& [key, text] : kDocs)
    if (key == name) return text;
  return "";
}

}  // namespace humpty::python
