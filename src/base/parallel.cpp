#include "base/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace humpty {

// One round of work at a time: `generation` counts the rounds, `busy` the workers still in the
// current one. Everything but the job counter is guarded by the mutex.
struct Threads::State {
  std::mutex mutex;
  std::condition_variable wake, finished;
  std::vector<std::thread> workers;
  std::size_t generation = 0;
  std::size_t busy = 0;
  bool stop = false;

  const std::function<void(std::size_t, unsigned)>* job = nullptr;
  std::size_t jobs = 0;
  std::atomic<std::size_t> next{0};
  std::exception_ptr failure;

  void work(unsigned worker) {
    try {
      for (std::size_t number; (number = next.fetch_add(1)) < jobs;) (*job)(number, worker);
    } catch (...) {
      next.store(jobs);
      std::lock_guard lock(mutex);
      if (!failure) failure = std::current_exception();
    }
  }

  void serve(unsigned worker) {
    std::unique_lock lock(mutex);
    for (std::size_t seen = 0;;) {
      wake.wait(lock, [&] { return stop || generation != seen; });
      if (stop) return;
      seen = generation;
      lock.unlock();
      work(worker);
      lock.lock();
      if (--busy == 0) finished.notify_one();
    }
  }
};

Threads::Threads(unsigned count) : state_(std::make_unique<State>()) {
  if (count == 0) count = std::max(1u, std::thread::hardware_concurrency());
  for (unsigned worker = 1; worker < count; ++worker)
    state_->workers.emplace_back([state = state_.get(), worker] { state->serve(worker); });
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

void Threads::run(std::size_t jobs, const std::function<void(std::size_t, unsigned)>& job) {
  if (jobs <= 1 || state_->workers.empty()) {
    for (std::size_t number = 0; number < jobs; ++number) job(number, 0);
    return;
  }
  {
    std::lock_guard lock(state_->mutex);
    state_->job = &job;
    state_->jobs = jobs;
    state_->next.store(0);
    state_->failure = nullptr;
    state_->busy = state_->workers.size();
    ++state_->generation;
  }
  state_->wake.notify_all();
  state_->work(0);
  std::unique_lock lock(state_->mutex);
  state_->finished.wait(lock, [&] { return state_->busy == 0; });
  if (state_->failure) std::rethrow_exception(state_->failure);
}

}  // namespace humpty
