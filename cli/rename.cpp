#include <memory>

#include "base/text.hpp"
#include "commands.hpp"
#include "model_output.hpp"
#include "order.hpp"
#include "outputs.hpp"
#include "puzzle_options.hpp"
#include "values.hpp"

namespace humpty::cli {
namespace {

struct RenameCommand {
  std::vector<std::string> paths;
  std::string order;
  ReadOptions read;
  Activation activation = Activation::relu;
  ModelOutput model;

  int run() const {
    Terminal terminal;
    model.check();
    check_outputs({{"--output", model.file}});
    std::vector<std::string> notes;
    const std::vector<Piece> pieces = read_pieces(paths, read, &notes);
    for (const std::string& note : notes) terminal.say("note", one_line(note));
    ModelOptions options;
    options.activation = activation;
    model.write(arranged(pieces, read_order(order, pieces)), options, terminal);
    return 0;
  }
};

}  // namespace

void add_rename(CLI::App& app, int& exit_code) {
  CLI::App* command =
      app.add_subcommand("rename", "Write a checkpoint's tensors under their recovered names");
  command->footer(R"(
The ids are those that solve and inspect give to the same files. No data is needed and nothing is
checked but the shapes; humpty verify does the rest.

Examples:
  humpty solve scrambled.safetensors --data rows.csv --json found.json
  humpty rename scrambled.safetensors --order found.json -o model.safetensors
  humpty rename pieces/ --order order.txt -o model.pth --names '{i}.inp,{i}.out,{i}.layer')");
  auto state = std::make_shared<RenameCommand>();
  command
      ->add_option("CHECKPOINT", state->paths,
                   "The tensors: a file of any format, or files and folders of them")
      ->required()
      ->type_name("PATH");
  command->add_option("--order", state->order, kOrderHelp)->required()->type_name("LIST|FILE");
  command
      ->add_option("-o,--output", state->model.file, "Where to: .safetensors, .pth, .onnx or .npz")
      ->required()
      ->type_name("FILE");
  state->model.add_names_to(*command);
  command->add_flag("--transposed", state->read.transposed,
                    "Weights are stored in x out (seen by itself where the shapes tell)");
  add_activation(*command, state->activation);
  add_threads(*command, state->read.threads);
  command->callback([state, command, &exit_code] {
    const ModelFormat format = model_format(state->model.file);
    if (format == ModelFormat::torch || format == ModelFormat::npz)
      refuse_without_effect(*command, "in a file of this format", {"--activation"});
    exit_code = state->run();
  });
}

}  // namespace humpty::cli
