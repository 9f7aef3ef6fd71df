// Progress outwards, the wish to stop inwards.
#pragma once

#include <string>
#include <string_view>

#include "humpty/humpty.hpp"

namespace humpty {

class Watch {
 public:
  explicit Watch(OnProgress report) : report_(std::move(report)) {}

  // Reports, and asks whether to go on. Once the answer was no, it stays no.
  bool go_on(std::string_view stage, double done, std::string note = "") {
    if (!stopped_ && report_) stopped_ = !report_({stage, done, std::move(note)});
    return !stopped_;
  }
  bool stopped() const { return stopped_; }

 private:
  OnProgress report_;
  bool stopped_ = false;
};

}  // namespace humpty
