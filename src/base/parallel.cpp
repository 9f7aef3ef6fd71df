#include "base/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace humpty {
namespace {

// Waking a sleeper takes 50 to 100 µs, as long as a whole round of a search's small steps. So who
// waits looks on for a moment before going to sleep.
constexpr std::chrono::microseconds kPatience{30};

void rest() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

template <class Ready>
void look_on(std::chrono::microseconds patience, const Ready& ready) {
  const auto end = std::chrono::steady_clock::now() + patience;
  while (!ready() && std::chrono::steady_clock::now() < end) rest();
}

}  // namespace

// One round of work at a time. A worker that comes while the round is open joins in and is counted
// in `inside`; the caller closes the round when no job is left and waits for those inside only: one
// that never woke, because its core had other work, holds nobody up. What is read outside the mutex
// is atomic; the rest is written only while nobody is inside.
struct Threads::State {
  const CancelFlag* cancel = nullptr;
  Watch* watch = nullptr;
  std::mutex mutex;
  std::condition_variable wake, finished;
  std::vector<std::thread> workers;
  std::chrono::microseconds patience{0};
  std::atomic<std::size_t> round{0};
  std::atomic<std::size_t> inside{0};
  bool open = false, stop = false;

  const std::function<void(std::size_t, unsigned)>* job = nullptr;
  std::size_t jobs = 0;
  std::atomic<std::size_t> next{0};
  std::exception_ptr failure;

  void check() const {
    if (cancel && cancel->load(std::memory_order_relaxed))
      throw Error(ErrorCode::cancelled, "cancelled");
    if (watch) watch->check();
  }

  void work(unsigned worker) {
    try {
      for (std::size_t number; (number = next.fetch_add(1)) < jobs;) {
        check();
        (*job)(number, worker);
      }
    } catch (...) {
      next.store(jobs);
      std::lock_guard lock(mutex);
      if (!failure) failure = std::current_exception();
    }
  }

  void serve(unsigned worker) {
    for (std::size_t seen = 0;;) {
      look_on(patience, [&] { return round.load() != seen; });
      std::unique_lock lock(mutex);
      wake.wait(lock, [&] { return stop || (open && round.load() != seen); });
      if (stop) return;
      seen = round.load();
      ++inside;
      lock.unlock();
      work(worker);
      lock.lock();
      if (--inside == 0) finished.notify_one();
    }
  }

  void begin(std::size_t count, const std::function<void(std::size_t, unsigned)>& what) {
    {
      std::lock_guard lock(mutex);
      job = &what;
      jobs = count;
      next.store(0);
      failure = nullptr;
      open = true;
      ++round;
    }
    wake.notify_all();
  }

  void end() {
    std::unique_lock lock(mutex);
    open = false;
    lock.unlock();
    look_on(patience, [&] { return inside.load() == 0; });
    lock.lock();
    finished.wait(lock, [&] { return inside.load() == 0; });
    if (failure) std::rethrow_exception(failure);
  }
};

Threads::Threads(unsigned count, const CancelFlag* cancel) : state_(std::make_unique<State>()) {
  state_->cancel = cancel;
  const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
  if (count == 0) count = cores;
  if (count <= cores) state_->patience = kPatience;  // with fewer, looking on takes a core away
  try {
    for (unsigned worker = 1; worker < count; ++worker)
      state_->workers.emplace_back([state = state_.get(), worker] { state->serve(worker); });
  } catch (const std::system_error&) {
    // The system, or the page that this runs in, has no more of them: those there are will do.
  }
}

Threads::~Threads() {
  {
    std::lock_guard lock(state_->mutex);
    state_->stop = true;
  }
  state_->wake.notify_all();
  for (std::thread& worker : state_->workers) worker.join();
}

unsigned Threads::count() const { return static_cast<unsigned>(state_->workers.size()) + 1; }

const CancelFlag* Threads::cancel() const { return state_->cancel; }

void Threads::check() const { state_->check(); }

void Threads::heed(Watch& watch) { state_->watch = &watch; }

void Threads::run(std::size_t jobs, const std::function<void(std::size_t, unsigned)>& job) {
  if (jobs <= 1 || state_->workers.empty()) {
    for (std::size_t number = 0; number < jobs; ++number) {
      check();
      job(number, 0);
    }
    return;
  }
  state_->begin(jobs, job);
  state_->work(0);
  state_->end();
}

}  // namespace humpty
