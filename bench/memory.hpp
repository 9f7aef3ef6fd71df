// The most memory that this process has held so far.
#pragma once

#include <sys/resource.h>

namespace humpty::bench {

inline double peak_mib() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

}  // namespace humpty::bench
