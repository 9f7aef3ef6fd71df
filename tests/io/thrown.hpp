// What a call throws, to look at; a failure if it throws nothing.
#pragma once

#include <gtest/gtest.h>

#include "humpty/humpty.hpp"

namespace humpty::test {

template <class Call>
Error thrown_by(Call&& call) {
  try {
    call();
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "nothing was thrown";
  return Error(ErrorCode::usage, "nothing was thrown");
}

inline bool says(const Error& error, std::string_view words) {
  return std::string_view(error.what()).find(words) != std::string_view::npos;
}

}  // namespace humpty::test
