// How a graph's nodes use its weights: as they are, in × out, or turned, out × in; and in which
// order. Nothing else of the graph is looked at.
#pragma once

#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "io/protobuf.hpp"
#include "io/tensor.hpp"

namespace humpty::io {

class OnnxUses {
 public:
  // A node of the graph; the views must outlive this object.
  void add(std::string_view op, const std::vector<std::string_view>& inputs,
           std::string_view output, const std::vector<ProtoReader>& attributes);

  // x·W has its weight in × out, and so has Gemm unless it says transB; a weight that a Transpose
  // turns first is the other way round. Nothing where no such node uses it.
  std::optional<Use> find(std::string_view tensor) const;

 private:
  std::size_t nodes_ = 0;
  std::map<std::string_view, Use> factors_;  // of products
  std::map<std::string_view, std::string_view>
      turned_;  // what goes into a Transpose: what comes out
};

}  // namespace humpty::io
