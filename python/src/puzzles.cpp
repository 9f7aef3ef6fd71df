// Pieces, rows, puzzles: read from files or made from arrays.
#include "options.hpp"
#include "parts.hpp"
#include "record.hpp"

namespace humpty::python {
namespace {

Piece make_piece(const Array& weight, const std::optional<Array>& bias, const std::string& file,
                 const std::string& dtype, const std::string& bias_dtype, int id) {
  Piece piece;
  piece.id = id;
  piece.file = file;
  piece.weight = borrow_matrix(weight);
  piece.dtype = dtype;
  piece.bias_dtype = bias_dtype;
  if (bias) piece.bias.assign(bias->data(), bias->data() + bias->size());
  return piece;
}

// [(file, [(name, array, dtype), …]), …]
std::vector<NamedTensors> named_tensors(const nb::list& files) {
  std::vector<NamedTensors> result;
  for (const nb::handle file : files) {
    NamedTensors tensors{nb::cast<std::string>(nb::handle(file[0])), {}};
    for (const nb::handle tensor : nb::cast<nb::list>(nb::handle(file[1]))) {
      const auto array = nb::cast<Array>(nb::handle(tensor[1]));
      std::vector<std::uint64_t> shape;
      for (std::size_t i = 0; i < array.ndim(); ++i) shape.push_back(array.shape(i));
      tensors.tensors.push_back({nb::cast<std::string>(nb::handle(tensor[0])), std::move(shape),
                                 borrow(array), nb::cast<std::string>(nb::handle(tensor[2]))});
    }
    result.push_back(std::move(tensors));
  }
  return result;
}

std::vector<std::string> column_names(const char* stem, std::size_t count) {
  if (count == 1) return {stem};
  std::vector<std::string> names;
  for (std::size_t c = 0; c < count; ++c)
    names.push_back(std::string(stem) + "_" + std::to_string(c));
  return names;
}

Rows make_rows(const std::optional<Array>& x, const std::optional<Array>& pred) {
  Rows rows;
  if (x) rows.features = borrow_matrix(*x);
  if (pred) rows.target = borrow_matrix(*pred);
  rows.feature_names = column_names("x", rows.features.cols);
  rows.target_names = column_names("pred", rows.target.cols);
  return rows;
}

void add_records(nb::module_& module) {
  Record<Piece> piece(module, "Piece", "Piece");
  piece.field("id", &Piece::id)
      .field("file", &Piece::file)
      .array("weight", &Piece::weight)
      .array("bias", &Piece::bias)
      .field("role", &Piece::role)
      .field("dtype", &Piece::dtype)
      .field("bias_dtype", &Piece::bias_dtype);
  piece.type().def("__repr__", [](const Piece& p) {
    return "Piece(id=" + std::to_string(p.id) + ", " + std::string(word(p.role)) + " " +
           std::to_string(p.weight.rows) + "×" + std::to_string(p.weight.cols) +
           (p.file.empty() ? ")" : ", '" + p.file + "')");
  });

  Record<Rows> rows(module, "Rows", "Rows");
  rows.array("features", &Rows::features)
      .array("target", &Rows::target)
      .field("feature_names", &Rows::feature_names)
      .field("target_names", &Rows::target_names);

  Record<Puzzle> puzzle(module, "Puzzle", "Puzzle", "Pieces, rows, and what is known of them.");
  puzzle.field("pieces", &Puzzle::pieces)
      .field("rows", &Puzzle::rows)
      .field("activation", &Puzzle::activation)
      .field("target", &Puzzle::target)
      .field("notes", &Puzzle::notes)
      .field("activation_known", &Puzzle::activation_known)
      .field("roles_confidence", &Puzzle::roles_confidence);
  puzzle.type()
      .def_prop_ro(
          "x",
          [](nb::handle self) { return view(nb::cast<const Puzzle&>(self).rows.features, self); },
          nb::sig("def x(self) -> numpy.typing.NDArray[numpy.float32]"),
          "The rows' features: rows × d.")
      .def_prop_ro(
          "pred",
          [](nb::handle self) { return view(nb::cast<const Puzzle&>(self).rows.target, self); },
          nb::sig("def pred(self) -> numpy.typing.NDArray[numpy.float32]"),
          "What the original net answered: rows × outputs.")
      .def_prop_ro("blocks", &Puzzle::blocks, "How many blocks there are.")
      .def("piece", &Puzzle::piece, nb::arg("id"), nb::rv_policy::reference_internal,
           "The piece of this id.")
      .def("__repr__", [](const Puzzle& p) {
        return "Puzzle(" + std::to_string(p.pieces.size()) + " pieces, " +
               std::to_string(p.blocks()) + " blocks, " + std::to_string(p.rows.features.rows) +
               " rows × " + std::to_string(p.rows.features.cols) + " features, " +
               (p.activation_known ? std::string(word(p.activation)) : "activation not given") +
               ")";
      });
}

void add_functions(nb::module_& module) {
  module.def("make_piece", make_piece, nb::arg("weight"), nb::arg("bias").none(), nb::arg("file"),
             nb::arg("dtype"), nb::arg("bias_dtype"), nb::arg("id"));
  module.def(
      "make_pieces",
      [](const nb::list& files, std::size_t features, const nb::kwargs& given) {
        std::vector<std::string> notes;
        auto pieces =
            make_pieces(named_tensors(files), read_options(Given(given)), features, &notes);
        return std::pair(std::move(pieces), std::move(notes));
      },
      nb::arg("files"), nb::arg("features"), nb::arg("given"),
      nb::sig("def make_pieces(files: collections.abc.Sequence[tuple[str, "
              "collections.abc.Sequence[tuple[str, object, str]]]], features: int, **given: "
              "object) -> tuple[list[Piece], list[str]]"),
      doc("make_pieces"));
  module.def(
      "make_rows",
      [](std::vector<std::string> names, const Array& values, const nb::kwargs& given) {
        std::vector<std::string> notes;
        Rows rows = humpty::make_rows(std::move(names), borrow_matrix(values),
                                      read_options(Given(given)), &notes);
        return std::pair(std::move(rows), std::move(notes));
      },
      nb::arg("names"), nb::arg("values"), nb::arg("given"),
      nb::sig("def make_rows(names: collections.abc.Sequence[str], values: object, **given: "
              "object) -> tuple[Rows, list[str]]"),
      doc("make_rows"));
  module.def(
      "read_pieces",
      [](const std::vector<std::string>& paths, const nb::kwargs& given) {
        const ReadOptions options = read_options(Given(given));
        std::vector<std::string> notes;
        auto pieces = call(nb::none(), [&](Line& line) {
          ReadOptions own = options;
          own.cancel = line.cancel();
          return read_pieces(paths, own, &notes);
        });
        return std::pair(std::move(pieces), std::move(notes));
      },
      nb::arg("paths"), nb::arg("given"),
      nb::sig("def read_pieces(paths: collections.abc.Sequence[str], **given: object) -> "
              "tuple[list[Piece], list[str]]"),
      doc("read_pieces"));
  module.def(
      "read_puzzle",
      [](const std::vector<std::string>& paths, const nb::kwargs& given) {
        ReadOptions options = read_options(Given(given));
        return call(nb::none(), [&](Line& line) {
          options.cancel = line.cancel();
          return read_puzzle(paths, options);
        });
      },
      nb::arg("paths"), nb::arg("given"),
      nb::sig("def read_puzzle(paths: collections.abc.Sequence[str], **given: object) -> Puzzle"),
      doc("read_puzzle"));
  module.def(
      "make_puzzle",
      [](std::vector<Piece> pieces, const std::optional<Array>& x, const std::optional<Array>& pred,
         const std::vector<std::string>& notes, const nb::kwargs& given) {
        ReadOptions options = read_options(Given(given));
        options.no_data = !x;
        Rows rows = make_rows(x, pred);
        Puzzle puzzle = call(nb::none(), [&](Line& line) {
          options.cancel = line.cancel();
          return make_puzzle(std::move(pieces), std::move(rows), options);
        });
        puzzle.notes.insert(puzzle.notes.begin(), notes.begin(), notes.end());
        return puzzle;
      },
      nb::arg("pieces"), nb::arg("x").none(), nb::arg("pred").none(), nb::arg("notes"),
      nb::arg("given"),
      nb::sig("def make_puzzle(pieces: collections.abc.Sequence[Piece], x: object, pred: object, "
              "notes: collections.abc.Sequence[str], **given: object) -> Puzzle"),
      doc("make_puzzle"));
  module.def(
      "make_puzzle_of_blocks",
      [](std::vector<std::pair<Piece, Piece>> blocks, const Piece& head,
         const std::optional<Piece>& stem, const Array& x, const Array& pred,
         const nb::kwargs& given) {
        ReadOptions options = read_options(Given(given));
        Rows rows = make_rows(x, pred);
        return call(nb::none(), [&](Line& line) {
          options.cancel = line.cancel();
          return make_puzzle(Blocks{std::move(blocks), head, stem}, std::move(rows), options);
        });
      },
      nb::arg("blocks"), nb::arg("head"), nb::arg("stem").none(), nb::arg("x"), nb::arg("pred"),
      nb::arg("given"),
      nb::sig("def make_puzzle_of_blocks(blocks: collections.abc.Sequence[tuple[Piece, Piece]], "
              "head: Piece, stem: Piece | None, x: object, pred: object, **given: object) -> "
              "Puzzle"),
      doc("Blocks"));
}

}  // namespace

void add_puzzles(nb::module_& module) {
  add_records(module);
  add_functions(module);
}

}  // namespace humpty::python
