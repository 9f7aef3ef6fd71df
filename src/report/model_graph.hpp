// A residual net as a graph that ONNX's runtimes can run.
#pragma once

#include "humpty/humpty.hpp"
#include "io/onnx.hpp"

namespace humpty::report {

// features (rows × d) → pred (rows × o). `tensors` are the initialisers, weight and maybe bias of
// each piece in turn, all float32; `applied` says which belong together.
io::OnnxGraph to_graph(const std::vector<Piece>& applied, std::vector<io::Tensor> tensors,
                       Activation activation);

}  // namespace humpty::report
