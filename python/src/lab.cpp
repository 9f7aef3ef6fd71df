// Training and dropping.
#include "options.hpp"
#include "parts.hpp"
#include "record.hpp"

namespace humpty::python {
namespace {

lab::TrainOptions train_options(Given given) {
  lab::TrainOptions options;
  given.to("blocks", options.blocks)
      .to("hidden", options.hidden)
      .to("activation", options.activation)
      .to("loss", options.loss)
      .to("optimizer", options.optimizer)
      .to("init", options.init)
      .to("epochs", options.epochs)
      .to("batch", options.batch)
      .to_positive("lr", options.lr)
      .to("weight_decay", options.weight_decay)
      .to("momentum", options.momentum)
      .to("threads", options.threads)
      .to("rng", options.rng)
      .end();
  return options;
}

void add_records(nb::module_& module) {
  Record<lab::TrainedNet>(module, "TrainedNet", "lab::TrainedNet", "A trained net.")
      .field("pieces", &lab::TrainedNet::pieces)
      .field("loss", &lab::TrainedNet::loss)
      .field("epochs", &lab::TrainedNet::epochs)
      .field("stopped", &lab::TrainedNet::stopped)
      .field("seconds", &lab::TrainedNet::seconds)
      .field("flops", &lab::TrainedNet::flops)
      .type()
      .def(nb::init<const lab::TrainedNet&>(), nb::arg("other"));
  Record<lab::Dropped>(module, "Dropped", "lab::Dropped", "A net taken apart.")
      .field("puzzle", &lab::Dropped::puzzle)
      .field("permutation", &lab::Dropped::permutation)
      .array("truth", &lab::Dropped::truth)
      .type()
      .def(nb::init<const lab::Dropped&>(), nb::arg("other"));
}

lab::Task task_named(const std::string& name) {
  if (name == "regression") return lab::Task::regression;
  if (name == "classification") return lab::Task::classification;
  throw Error(ErrorCode::usage,
              "no task is called '" + name + "'; there are regression, classification");
}

}  // namespace

void add_lab(nb::module_& module) {
  add_records(module);
  module.def(
      "make_task",
      [](const std::string& task, std::size_t rows, std::size_t dim, std::size_t outputs,
         std::uint64_t rng) {
        Rows made = lab::make_task(task_named(task), rows, dim, outputs, rng);
        return std::pair(give(std::move(made.features)), give(std::move(made.target)));
      },
      nb::arg("task"), nb::arg("rows"), nb::arg("dim"), nb::arg("outputs"), nb::arg("rng"),
      nb::sig("def make_task(task: str, rows: int, dim: int, outputs: int, rng: int) -> "
              "tuple[numpy.typing.NDArray[numpy.float32], numpy.typing.NDArray[numpy.float32]]"),
      doc("lab::make_task"));
  module.def(
      "train",
      [](const Array& x, const Array& y, const nb::object& listener, const nb::kwargs& given) {
        lab::TrainOptions options = train_options(Given(given));
        const Matrix features = borrow_matrix(x), target = borrow_matrix(y);
        return call(listener, [&](Line& line) {
          options.progress = line.progress();
          options.cancel = line.cancel();
          return lab::train(options, features, target);
        });
      },
      nb::arg("x"), nb::arg("y"), nb::arg("listener").none(), nb::arg("given"),
      nb::sig("def train(x: object, y: object, listener: object, **given: object) -> TrainedNet"),
      doc("lab::train"));
  module.def(
      "read_checkpoint",
      [](const std::string& file, const std::string& names) {
        return call(nb::none(), [&](Line&) {
          return lab::read_checkpoint(file, names.empty() ? LayerNames{} : layer_names(names));
        });
      },
      nb::arg("file"), nb::arg("names"), doc("lab::read_checkpoint"));
  module.def(
      "drop",
      [](std::vector<Piece> applied, const Array& x, const std::optional<Array>& y,
         const std::optional<Array>& answers, const std::string& activation, std::uint64_t rng,
         unsigned threads) {
        Rows rows;
        rows.features = borrow_matrix(x);
        if (y) rows.target = borrow_matrix(*y);
        const Activation chosen = named<Activation>(activation);
        lab::Dropped dropped = call(nb::none(), [&](Line& line) {
          return lab::drop(std::move(applied), std::move(rows), chosen, rng, threads,
                           line.cancel());
        });
        if (answers) dropped.puzzle.rows.target = borrow_matrix(*answers);
        return dropped;
      },
      nb::arg("applied"), nb::arg("x"), nb::arg("y").none(), nb::arg("answers").none(),
      nb::arg("activation"), nb::arg("rng"), nb::arg("threads"), doc("lab::drop"));
  module.def(
      "write_puzzle",
      [](const std::string& folder, const lab::Dropped& dropped, const std::string& about,
         bool force) {
        call(nb::none(), [&](Line&) {
          lab::write_puzzle(folder, dropped, about, force);
          return true;
        });
      },
      nb::arg("folder"), nb::arg("dropped"), nb::arg("about"), nb::arg("force"),
      doc("lab::write_puzzle"));
}

}  // namespace humpty::python
