#include "io/file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include "humpty/humpty.hpp"

namespace humpty::io {
namespace {

constexpr std::size_t kMapFrom = 1 << 20;

std::string reason(int number) { return std::generic_category().message(number); }

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int number() const { return number_; }
  bool close() { return ::close(std::exchange(number_, -1)) == 0; }

 private:
  int number_;
};

[[noreturn]] void fail_to_read(const std::string& path, int number) {
  if (number == ENOENT || number == ENOTDIR)
    throw Error(ErrorCode::not_found, "no such file", {.file = path});
  throw Error(ErrorCode::unreadable, fmt::format("cannot be read: {}", reason(number)),
              {.file = path});
}

[[noreturn]] void fail_to_write(const std::string& path, int number,
                                const char* comfort = "; nothing was left behind") {
  throw Error(ErrorCode::not_writable,
              fmt::format("cannot be written: {}{}", reason(number), comfort), {.file = path});
}

[[noreturn]] void refuse_to_write(const std::string& path, int number) {
  fail_to_write(path, number, "; name another place");
}

bool write_all(int descriptor, std::string_view content) {
  while (!content.empty()) {
    const ssize_t written = ::write(descriptor, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    content.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

// A file of a new name in the path's folder.
std::pair<int, std::string> create_beside(const std::string& path) {
  for (int attempt = 0;; ++attempt) {
    std::string name = fmt::format("{}.{}-{}.part", path, ::getpid(), attempt);
    const int number = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (number >= 0 || errno != EEXIST) return {number, std::move(name)};
  }
}

void write_beside_and_rename(const std::string& path, std::string_view content) {
  const auto [number, beside] = create_beside(path);
  if (number < 0) fail_to_write(path, errno);
  Descriptor file(number);
  if (write_all(number, content) && ::fsync(number) == 0 && file.close() &&
      ::rename(beside.c_str(), path.c_str()) == 0)
    return;
  const int failure = errno;
  ::unlink(beside.c_str());
  fail_to_write(path, failure);
}

void write_directly(const std::string& path, std::string_view content) {
  Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (file.number() < 0 || !write_all(file.number(), content) || !file.close())
    fail_to_write(path, errno);
}

// Where a chain of links ends: renaming onto a link would replace the link.
std::string without_links(const std::string& path) {
  const std::unique_ptr<char, void (*)(void*)> real(::realpath(path.c_str(), nullptr), std::free);
  return real ? std::string(real.get()) : path;
}

}  // namespace

File::File(const std::string& path) {
  const Descriptor file(path == "-" ? ::dup(STDIN_FILENO)
                                    : ::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat status {};
  if (file.number() < 0 || ::fstat(file.number(), &status) != 0) fail_to_read(path, errno);
  if (S_ISDIR(status.st_mode)) fail_to_read(path, EISDIR);
  if (!S_ISREG(status.st_mode) && !S_ISFIFO(status.st_mode))
    throw Error(ErrorCode::unreadable, "is neither a file nor a pipe", {.file = path});
  const auto size = static_cast<std::size_t>(status.st_size);
  if (S_ISREG(status.st_mode) && size >= kMapFrom)
    map(path, file.number(), size);
  else
    read(path, file.number(), size);
}

File::~File() {
  if (buffer_.empty() && !bytes_.empty())
    ::munmap(const_cast<std::uint8_t*>(bytes_.data()), bytes_.size());
}

void File::map(const std::string& path, int descriptor, std::size_t size) {
  void* mapping = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
  if (mapping == MAP_FAILED) fail_to_read(path, errno);
  bytes_ = {static_cast<const std::uint8_t*>(mapping), size};
}

// Reads to the end, whatever size was expected: a pipe has none.
void File::read(const std::string& path, int descriptor, std::size_t expected) {
  std::size_t filled = 0;
  buffer_.resize(std::max<std::size_t>(expected + 1, 4096));
  for (;;) {
    const ssize_t got = ::read(descriptor, buffer_.data() + filled, buffer_.size() - filled);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail_to_read(path, errno);
    if (got == 0) break;
    filled += static_cast<std::size_t>(got);
    if (filled == buffer_.size()) buffer_.resize(2 * filled);
  }
  buffer_.resize(filled);
  bytes_ = bytes_of(buffer_);
}

std::string folder_of(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

void write_file(const std::string& path, std::string_view content) {
  const std::string target = without_links(path);
  struct stat status {};
  const bool exists = ::stat(target.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) fail_to_write(path, EISDIR);
  if (exists && !S_ISREG(status.st_mode))
    write_directly(target, content);
  else
    write_beside_and_rename(target, content);
}

void check_writable(const std::string& path) {
  const std::string target = without_links(path);
  struct stat status {};
  const bool exists = ::stat(target.c_str(), &status) == 0;
  if (!exists && errno != ENOENT) refuse_to_write(path, errno);
  if (exists && S_ISDIR(status.st_mode)) refuse_to_write(path, EISDIR);
  if (exists && !S_ISREG(status.st_mode)) {
    if (::access(target.c_str(), W_OK) != 0) refuse_to_write(path, errno);
    return;
  }
  const std::string folder = folder_of(target);
  if (::stat(folder.c_str(), &status) != 0)
    throw Error(ErrorCode::not_writable, "there is no such folder to write into", {.file = path});
  if (::access(folder.c_str(), W_OK | X_OK) != 0) refuse_to_write(path, errno);
}

void check_writable_folder(const std::string& path) {
  struct stat status {};
  std::string there = path;  // or the nearest above it that is
  while (::stat(there.c_str(), &status) != 0) {
    if (errno != ENOENT || there == folder_of(there)) refuse_to_write(path, errno);
    there = folder_of(there);
  }
  if (!S_ISDIR(status.st_mode))
    throw Error(ErrorCode::not_writable, "is a file; name a folder to write into", {.file = there});
  if (::access(there.c_str(), W_OK | X_OK) != 0) refuse_to_write(path, errno);
}

}  // namespace humpty::io
