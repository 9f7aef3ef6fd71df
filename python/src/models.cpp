// Nets that are whole: their arithmetic, and their files.
#include "options.hpp"
#include "parts.hpp"
#include "record.hpp"

namespace humpty::python {
namespace {

RunOptions run_options(const std::string& activation, unsigned threads, const Line& line) {
  return {named<Activation>(activation), threads, line.cancel()};
}

}  // namespace

void add_models(nb::module_& module) {
  module.def("arranged", &arranged, nb::arg("pieces"), nb::arg("permutation"), doc("arranged"));
  module.def(
      "layer_keys",
      [](const std::string& templates, std::size_t pieces) {
        return layer_keys(layer_names(templates), pieces);
      },
      nb::arg("templates"), nb::arg("pieces"), doc("layer_keys"));
  module.def(
      "write_model",
      [](const std::string& file, const std::vector<Piece>& applied, const std::string& names,
         const std::string& activation, const std::string& verdict) {
        ModelOptions options{layer_names(names), named<Activation>(activation), {}};
        if (!verdict.empty()) options.metadata.emplace_back("verdict", verdict);
        write_model(file, applied, options);
      },
      nb::arg("file"), nb::arg("applied"), nb::arg("names"), nb::arg("activation"),
      nb::arg("verdict"), doc("to_model"));
  module.def(
      "forward",
      [](const std::vector<Piece>& applied, const Array& x, const std::string& activation,
         unsigned threads) {
        const Matrix features = borrow_matrix(x);
        return give(call(nb::none(), [&](Line& line) {
          return forward(applied, features, run_options(activation, threads, line));
        }));
      },
      nb::arg("applied"), nb::arg("x"), nb::arg("activation"), nb::arg("threads"),
      nb::sig("def forward(applied: collections.abc.Sequence[Piece], x: object, activation: str, "
              "threads: int) -> numpy.typing.NDArray[numpy.float32]"),
      doc("forward"));
  module.def(
      "gradients",
      [](const std::vector<Piece>& applied, const Array& x, std::size_t output,
         const std::string& activation, unsigned threads) {
        const Matrix features = borrow_matrix(x);
        return give(call(nb::none(), [&](Line& line) {
          return gradients(applied, features, output, run_options(activation, threads, line));
        }));
      },
      nb::arg("applied"), nb::arg("x"), nb::arg("output"), nb::arg("activation"),
      nb::arg("threads"),
      nb::sig("def gradients(applied: collections.abc.Sequence[Piece], x: object, output: int, "
              "activation: str, threads: int) -> numpy.typing.NDArray[numpy.float32]"),
      doc("gradients"));
  module.def(
      "delta_norms",
      [](const std::vector<std::pair<Piece, Piece>>& blocks, const Array& x,
         const std::string& activation, unsigned threads) {
        const Matrix features = borrow_matrix(x);
        return give(call(nb::none(), [&](Line& line) {
          return delta_norms(blocks, features, run_options(activation, threads, line));
        }));
      },
      nb::arg("blocks"), nb::arg("x"), nb::arg("activation"), nb::arg("threads"),
      nb::sig("def delta_norms(blocks: collections.abc.Sequence[tuple[Piece, Piece]], x: object, "
              "activation: str, threads: int) -> numpy.typing.NDArray[numpy.float64]"),
      doc("delta_norms"));
}

}  // namespace humpty::python
