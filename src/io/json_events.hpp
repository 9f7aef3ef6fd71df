// JSON followed event by event: a reader keeps what it wants and refuses the rest on the spot, so
// that no text, however deep or long, builds anything.
#pragma once

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "humpty/humpty.hpp"

namespace humpty::io {

class JsonEvents : public nlohmann::json_sax<nlohmann::json> {
 public:
  // `what` is the text's name in messages; `start` its place in the file.
  JsonEvents(std::string file, std::string what, std::uint64_t start)
      : file_(std::move(file)), what_(std::move(what)), start_(start) {}

  void parse(std::string_view text) { nlohmann::json::sax_parse(text, this); }

  // Whatever a reader does not expect is refused.
  bool null() override { refuse("null"); }
  bool boolean(bool) override { refuse("true or false"); }
  bool number_integer(number_integer_t) override { refuse("a negative number"); }
  bool number_unsigned(number_unsigned_t) override { refuse("a number"); }
  bool number_float(number_float_t, const string_t&) override {
    refuse("a number that is no integer, or beyond 64 bits,");
  }
  bool string(string_t&) override { refuse("text"); }
  bool binary(binary_t&) override { refuse("bytes"); }
  bool start_object(std::size_t) override { refuse("an object"); }
  bool start_array(std::size_t) override { refuse("an array"); }
  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::json::exception&) override {
    fail("is not JSON, or cut short", start_ + position - 1);
  }

 protected:
  virtual std::string place() const = 0;  // what is being read: "tensor 'a'", …

  [[noreturn]] void refuse(std::string_view value) const {
    fail(fmt::format("holds {} where none should be ({})", value, place()));
  }
  [[noreturn]] void fail(const std::string& message,
                         std::optional<std::uint64_t> offset = {}) const {
    throw Error(ErrorCode::bad_format, fmt::format("{} {}", what_, message),
                {.file = file_, .offset = offset});
  }

 private:
  std::string file_, what_;
  std::uint64_t start_;
};

}  // namespace humpty::io
