#include "io/pickle.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "humpty/humpty.hpp"

// Opcodes and their meaning are those of CPython's Lib/pickle.py; the letters below are its
// letters.
namespace humpty::io {
namespace {

using Handle = Value::Handle;
using Kind = Value::Kind;

constexpr std::string_view kOrderedDict = "collections.OrderedDict";
constexpr Handle kUnset = 0xffffffff;

class Machine {
 public:
  Machine(Bytes bytes, std::span<const std::string_view> allowed, const std::string& file,
          std::string_view entry, std::string_view boxes)
      : bytes_(bytes), allowed_(allowed), file_(file), entry_(entry), boxes_(boxes) {
    if (bytes.size() >= kUnset) fail("is too large for a pickle", ErrorCode::too_large);
  }

  Handle run() {
    for (;;) {
      start_ = next_;
      const std::uint8_t opcode = *take(1);
      if (opcode == '.') break;
      if (!scalar(opcode) && !text(opcode) && !container(opcode) && !reference(opcode))
        fail(fmt::format("has opcode 0x{:02x}, which data does not need: refused", opcode));
    }
    if (stack_.size() != 1 || !marks_.empty()) fail("ends with an unbalanced stack");
    return stack_.back();
  }

  std::vector<Value> values() && { return std::move(values_); }
  std::size_t size() const { return next_; }

 private:
  bool scalar(std::uint8_t opcode) {
    switch (opcode) {
      case 'N':
        push(Kind::none);
        return true;
      case 0x88:
        push_integer(1, Kind::boolean);
        return true;  // NEWTRUE
      case 0x89:
        push_integer(0, Kind::boolean);
        return true;  // NEWFALSE
      case 'K':
        push_integer(number<std::uint8_t>());
        return true;
      case 'M':
        push_integer(number<std::uint16_t>());
        return true;
      case 'J':
        push_integer(static_cast<std::int32_t>(number<std::uint32_t>()));
        return true;
      case 0x8a:
        push_long(number<std::uint8_t>());
        return true;  // LONG1
      case 0x8b:
        push_long(number<std::uint32_t>());
        return true;  // LONG4
      case 'I':
      case 'L':
        push_decimal(line());
        return true;
      case 'G':
        push_real();
        return true;
      default:
        return false;
    }
  }

  bool text(std::uint8_t opcode) {
    switch (opcode) {
      case 0x8c:  // SHORT_BINUNICODE
      case 'U':
        push_text(Kind::text, number<std::uint8_t>());
        return true;
      case 'X':
      case 'T':
        push_text(Kind::text, number<std::uint32_t>());
        return true;
      case 0x8d:
        push_text(Kind::text, number<std::uint64_t>());
        return true;  // BINUNICODE8
      case 'C':
        push_text(Kind::bytes, number<std::uint8_t>());
        return true;
      case 'B':
        push_text(Kind::bytes, number<std::uint32_t>());
        return true;
      case 0x8e:  // BINBYTES8
      case 0x96:
        push_text(Kind::bytes, number<std::uint64_t>());
        return true;  // BYTEARRAY8
      default:
        return false;
    }
  }

  bool container(std::uint8_t opcode) {
    switch (opcode) {
      case '(':
        marks_.push_back(stack_.size());
        return true;
      case ')':
        push(Kind::tuple);
        return true;
      case ']':
        push(Kind::list);
        return true;
      case '}':
        push(Kind::dict);
        return true;
      case 0x85:  // TUPLE1, TUPLE2, TUPLE3
      case 0x86:
      case 0x87:
        push_items(Kind::tuple, pop(opcode - 0x84u));
        return true;
      case 't':
        push_items(Kind::tuple, pop_to_mark());
        return true;
      case 'l':
        push_items(Kind::list, pop_to_mark());
        return true;
      case 'd':
        push_items(Kind::dict, pop_to_mark());
        return true;
      case 'a':
        extend(Kind::list, pop(1));
        return true;
      case 'e':
        extend(Kind::list, pop_to_mark());
        return true;
      case 's':
        extend(Kind::dict, pop(2));
        return true;
      case 'u':
        extend(Kind::dict, pop_to_mark());
        return true;
      default:
        return false;
    }
  }

  // What ties values together: protocol and frame marks, the memo, globals, calls.
  bool reference(std::uint8_t opcode) {
    switch (opcode) {
      case 0x80:
        check_protocol(number<std::uint8_t>());
        return true;
      case 0x95:
        number<std::uint64_t>();
        return true;  // FRAME: only a hint for buffering
      case 'q':
        put(number<std::uint8_t>());
        return true;
      case 'r':
        put(number<std::uint32_t>());
        return true;
      case 0x94:
        put(memo_.size());
        return true;  // MEMOIZE
      case 'h':
        get(number<std::uint8_t>());
        return true;
      case 'j':
        get(number<std::uint32_t>());
        return true;
      case 'c':
        push_global();
        return true;
      case 0x93:
        push_stack_global();
        return true;
      case 'R':
        call();
        return true;
      case 0x81:
        if (boxes_.empty()) return false;
        make_object();
        return true;  // NEWOBJ
      case 'b':
        build();
        return true;
      case 'Q':
        push_items(Kind::persistent, pop(1));
        return true;
      default:
        return false;
    }
  }

  // -------------------------------------------------------------------------- reading the bytes

  const std::uint8_t* take(std::uint64_t size) {
    if (size > bytes_.size() - next_) fail("is cut short");
    const std::uint8_t* at = bytes_.data() + next_;
    next_ += size;
    return at;
  }

  template <class T>
  T number() {
    return load_le<T>(take(sizeof(T)));
  }

  std::string_view line() {
    const std::string_view rest = text_of(bytes_.subspan(next_));
    const std::size_t length = rest.find('\n');
    if (length == rest.npos) fail("is cut short");
    next_ += length + 1;
    return rest.substr(0, length);
  }

  // --------------------------------------------------------------------------- making the values

  Value& push(Kind kind) {
    stack_.push_back(static_cast<Handle>(values_.size()));
    Value& value = values_.emplace_back();
    value.kind = kind;
    value.offset = static_cast<std::uint32_t>(start_);
    return value;
  }

  void push_integer(std::int64_t integer, Kind kind = Kind::integer) {
    push(kind).integer = integer;
  }

  // Two's complement, little-endian. Bytes beyond the eighth may only repeat the sign.
  void push_long(std::uint64_t size) {
    const std::uint8_t* at = take(size);
    const std::uint8_t sign = size > 0 && (at[size - 1] & 0x80) ? 0xff : 0;
    std::uint64_t bits = 0;
    for (std::uint64_t i = 8; i-- > 0;) bits = bits << 8 | (i < size ? at[i] : sign);
    const auto integer = static_cast<std::int64_t>(bits);
    const bool fits = std::all_of(at + std::min<std::uint64_t>(size, 8), at + size,
                                  [=](std::uint8_t byte) { return byte == sign; });
    if (fits && (integer < 0) == (sign != 0))
      push_integer(integer);
    else
      push(Kind::big);
  }

  // "12", "12L", and protocol 1's booleans "00" and "01".
  void push_decimal(std::string_view digits) {
    if (digits == "00" || digits == "01") return push_integer(digits == "01", Kind::boolean);
    if (digits.ends_with('L')) digits.remove_suffix(1);
    std::int64_t integer = 0;
    const char* end = digits.data() + digits.size();
    const auto [stop, error] = std::from_chars(digits.data(), end, integer);
    if (error == std::errc::result_out_of_range && stop == end)
      push(Kind::big);
    else if (error != std::errc() || stop != end)
      fail("has an integer that is not one");
    else
      push_integer(integer);
  }

  void push_real() {  // the one big-endian number
    const std::uint8_t* at = take(8);
    std::uint64_t bits = 0;
    for (int i = 0; i < 8; ++i) bits = bits << 8 | at[i];
    std::memcpy(&push(Kind::real).real, &bits, sizeof bits);
  }

  void push_text(Kind kind, std::uint64_t size) {
    const std::uint8_t* at = take(size);
    push(kind).text = text_of({at, static_cast<std::size_t>(size)});
  }

  void push_items(Kind kind, std::vector<Handle> items) {
    if (kind == Kind::dict) check_pairs(items);
    push(kind).items = std::move(items);
  }

  void push_global() {
    const std::string_view module = line();
    const std::string_view name = line();
    push(Kind::global).text = allowed(module, name);
  }

  void push_stack_global() {
    const std::vector<Handle> names = pop(2);
    const Value &module = values_[names[0]], &name = values_[names[1]];
    if (module.kind != Kind::text || name.kind != Kind::text)
      fail("names a global by something other than text");
    const std::string_view dotted = allowed(module.text, name.text);
    push(Kind::global).text = dotted;
  }

  // --------------------------------------------------------------------------- tying them together

  void extend(Kind kind, const std::vector<Handle>& items) {
    Value& target = top();
    if (target.kind != kind)
      fail(kind == Kind::list ? "appends to what is no list" : "sets an item of what is no dict");
    if (kind == Kind::dict) check_pairs(items);
    target.items.insert(target.items.end(), items.begin(), items.end());
  }

  void check_pairs(const std::vector<Handle>& items) {
    if (items.size() % 2 != 0) fail("has a dict key without a value");
  }

  // Any index a pickler writes is at most the number of things it has written so far.
  void put(std::uint64_t index) {
    top();
    if (index > bytes_.size()) fail(fmt::format("has memo index {} out of range", index));
    if (index >= memo_.size()) memo_.resize(index + 1, kUnset);
    memo_[index] = stack_.back();
  }

  void get(std::uint64_t index) {
    if (index >= memo_.size() || memo_[index] == kUnset)
      fail(fmt::format("uses memo index {}, which was never set", index));
    stack_.push_back(memo_[index]);
  }

  void call() {
    std::vector<Handle> items = pop(2);
    const Value &callee = values_[items[0]], &arguments = values_[items[1]];
    if (callee.kind != Kind::global || arguments.kind != Kind::tuple)
      fail("calls what is no global, or without a tuple of arguments");
    if (callee.text != kOrderedDict)
      push_items(Kind::call, std::move(items));
    else if (arguments.items.empty())
      push(Kind::dict);
    else
      fail("makes an OrderedDict from arguments");
  }

  // Only a box, and only without arguments.
  void make_object() {
    const std::vector<Handle> items = pop(2);
    const Value &type = values_[items[0]], &arguments = values_[items[1]];
    if (type.kind != Kind::global || type.text != boxes_ || arguments.kind != Kind::tuple ||
        !arguments.items.empty())
      fail("makes an object, which data does not need: refused", ErrorCode::unsafe);
    push(Kind::object);
  }

  // The state of an OrderedDict is attributes such as a state dict's _metadata: passed over.
  void build() {
    const std::vector<Handle> state = pop(1);
    Value& target = top();
    if (target.kind == Kind::object && target.items.empty())
      target.items = state;
    else if (target.kind != Kind::dict)
      fail("sets the state of what is no dict, or has one already");
  }

  void check_protocol(unsigned protocol) {
    if (protocol > 5) fail(fmt::format("is of protocol {}; 5 is the newest known", protocol));
  }

  // The allow-list's own copy of the name, or an Error.
  std::string_view allowed(std::string_view module, std::string_view name) const {
    const std::string dotted = fmt::format("{}.{}", module, name);
    if (dotted == kOrderedDict) return kOrderedDict;
    const auto found = std::find(allowed_.begin(), allowed_.end(), dotted);
    if (found != allowed_.end()) return *found;
    if (!boxes_.empty() && dotted.starts_with(boxes_)) return boxes_;
    const bool model = module.starts_with("torch.nn.") || module.starts_with("__main__");
    fail(fmt::format("names '{}', which is not on the allow-list: refused, nothing was run; {}",
                     shortened(dotted, 100),
                     model ? "it holds a whole model: save model.state_dict() instead"
                           : "if it is a whole model, save model.state_dict() instead"),
         ErrorCode::unsafe);
  }

  // ------------------------------------------------------------------------------------- the stack

  // Nothing below the last mark can be reached.
  std::size_t floor() const { return marks_.empty() ? 0 : marks_.back(); }

  Value& top() {
    if (stack_.size() <= floor()) fail("takes from an empty stack");
    return values_[stack_.back()];
  }

  std::vector<Handle> pop(std::size_t count) {
    if (stack_.size() - floor() < count) fail("takes from an empty stack");
    std::vector<Handle> items(stack_.end() - static_cast<std::ptrdiff_t>(count), stack_.end());
    stack_.resize(stack_.size() - count);
    return items;
  }

  std::vector<Handle> pop_to_mark() {
    if (marks_.empty()) fail("takes to a mark that is not there");
    std::vector<Handle> items = pop(stack_.size() - floor());
    marks_.pop_back();
    return items;
  }

  [[noreturn]] void fail(const std::string& what, ErrorCode code = ErrorCode::bad_format) const {
    throw Error(code, fmt::format("{} {}", entry_, what), {.file = file_, .offset = start_});
  }

  Bytes bytes_;
  std::span<const std::string_view> allowed_;
  const std::string& file_;
  std::string_view entry_;
  std::string_view boxes_;
  std::size_t start_ = 0, next_ = 0;  // of the current opcode; of the next byte to read
  std::vector<Value> values_;
  std::vector<Handle> stack_, memo_;
  std::vector<std::size_t> marks_;
};

}  // namespace

Pickle::Pickle(Bytes bytes, std::span<const std::string_view> allowed, const std::string& file,
               std::string_view entry, std::string_view boxes) {
  Machine machine(bytes, allowed, file, entry, boxes);
  root_ = machine.run();
  size_ = machine.size();
  values_ = std::move(machine).values();
}

}  // namespace humpty::io
