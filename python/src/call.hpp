// Calls into the library: Python's lock is let go, ctrl-C and progress get through.
//
// The work runs on a thread of its own. The calling thread looks at Python's signals every 20 ms
// and hands on what progress was made, so a listener runs where its caller lives (notebooks and
// tqdm want that) and never holds the work up. A signal handler or a listener that raises sets the
// cancel flag; the exception goes on as soon as the work has ended, which is within moments.
#pragma once

#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>

#include <nanobind/nanobind.h>

#include "humpty/humpty.hpp"

namespace humpty::python {

namespace nb = nanobind;

class Line {
 public:
  OnProgress progress();
  const CancelFlag* cancel() const { return &cancel_; }

  void done();                              // the work's last word
  void attend(const nb::object& listener);  // until then; without Python's lock
  void rethrow();                           // what a signal or the listener raised, if anything

 private:
  struct News {
    std::string stage, note;
    double done = 0;
  };
  bool wait(std::optional<News>& news);  // false: done
  void look(const nb::object& listener, const std::optional<News>& news);

  std::mutex mutex_;
  std::condition_variable changed_;
  bool done_ = false;
  std::optional<News> news_;
  CancelFlag cancel_{false};
  std::atomic<bool> stop_{false};  // politely: the best so far will do
  std::exception_ptr raised_;
};

// work(line) with `listener`, a callable (stage, done, note) or None.
template <class Work>
auto call(const nb::object& listener, const Work& work) {
  Line line;
  std::optional<decltype(work(line))> result;
  std::exception_ptr failure;
  {
    const nb::gil_scoped_release unlocked;
    std::thread worker([&] {
      try {
        result.emplace(work(line));
      } catch (...) {
        failure = std::current_exception();
      }
      line.done();
    });
    line.attend(listener);
    worker.join();
  }
  line.rethrow();
  if (failure) std::rethrow_exception(failure);
  return std::move(*result);
}

}  // namespace humpty::python
