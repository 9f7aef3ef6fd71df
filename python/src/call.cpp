#include "call.hpp"

#include <chrono>

#include <nanobind/stl/string.h>

namespace humpty::python {

OnProgress Line::progress() {
  return [this](const Progress& now) {
    const std::lock_guard lock(mutex_);
    news_ = News{std::string(now.stage), now.note, now.done};
    return !stop_.load();
  };
}

void Line::done() {
  const std::lock_guard lock(mutex_);
  done_ = true;
  changed_.notify_one();
}

bool Line::wait(std::optional<News>& news) {
  constexpr std::chrono::milliseconds kLook{20};
  std::unique_lock lock(mutex_);
  const bool ended = changed_.wait_for(lock, kLook, [this] { return done_; });
  news = std::exchange(news_, std::nullopt);
  return !ended;
}

void Line::attend(const nb::object& listener) {
  std::optional<News> news;
  for (bool working = true; working;) {
    working = wait(news);  // what was told last is handed on as well
    const nb::gil_scoped_acquire locked;
    try {
      look(listener, news);
    } catch (...) {
      if (!raised_) raised_ = std::current_exception();
      cancel_.store(true);
    }
  }
}

void Line::look(const nb::object& listener, const std::optional<News>& news) {
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
  if (cancel_.load() || stop_.load() || !news || listener.is_none()) return;
  const nb::object answer = listener(news->stage, news->done, news->note);
  if (answer.is(nb::handle(Py_False))) stop_.store(true);
}

void Line::rethrow() {
  if (raised_) std::rethrow_exception(std::exchange(raised_, nullptr));
}

}  // namespace humpty::python
