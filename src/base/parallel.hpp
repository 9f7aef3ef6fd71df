// A pool of threads that take numbered jobs from an atomic counter. A fixed split of the rows over
// the threads loses badly when a neighbour keeps one core busy; handing out small jobs does not.
// Results stay the same at any number of threads because a job writes only what its number owns,
// and sums over jobs are taken afterwards in the order of the numbers.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include "base/watch.hpp"
#include "humpty/humpty.hpp"

namespace humpty {

class Threads {
 public:
  // 0: as many as there are cores. Where the system does not give as many it goes on with fewer.
  // Once `cancel` is set, run() and check() throw.
  explicit Threads(unsigned count = 0, const CancelFlag* cancel = nullptr);
  ~Threads();
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

  unsigned count() const;
  const CancelFlag* cancel() const;
  void check() const;  // within jobs, and for long work that is none

  // From now on run() and check() throw Stopped where the watch wants a stop.
  void heed(Watch& watch);

  // Calls job(number, worker) for number = 0 … jobs − 1, worker < count(), the caller being worker
  // 0. Returns when all are done; the first exception thrown by a job is thrown again here.
  void run(std::size_t jobs, const std::function<void(std::size_t, unsigned)>& job);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace humpty
