// The most that this machine's multiply-add units can do, measured: what the kernels are held to.
#pragma once

namespace humpty::bench {

// GFLOP/s of float32 multiply-adds on `threads` threads, best of several runs.
double fma_peak(unsigned threads);

}  // namespace humpty::bench
