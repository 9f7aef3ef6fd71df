#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/parallel.hpp"
#include "base/random.hpp"
#include "base/text.hpp"
#include "commands.hpp"
#include "humpty/humpty.hpp"
#include "puzzle/rows.hpp"
#include "puzzle_options.hpp"
#include "terminal.hpp"
#include "values.hpp"

namespace humpty::cli {
namespace {

struct DropCommand {
  std::string model, folder, data;
  lab::LayerNames names;
  Activation activation = Activation::relu;
  std::size_t rows = 2000;
  bool force = false;
  unsigned threads = 0;
  std::uint64_t rng = 1;

  int run();

 private:
  Rows load_rows(const std::vector<Piece>& chain, Terminal& terminal) const;
};

// The table's features; `true` where it has it.
Rows DropCommand::load_rows(const std::vector<Piece>& chain, Terminal& terminal) const {
  const std::size_t d = chain.front().weight.cols;
  if (data.empty()) {
    constexpr std::size_t kMostNumbers = 1'000'000'000;
    if (rows > kMostNumbers / d)
      throw Error(ErrorCode::too_large,
                  fmt::format("{} rows of {} numbers are too many; choose fewer --rows", rows, d));
    Rows made;
    made.features = {rows, d, std::vector<float>(rows * d)};
    Random random(rng);
    for (float& value : made.features.values) value = static_cast<float>(random.normal());
    return made;
  }
  Threads pool(threads);
  std::vector<std::string> notes;
  Rows loaded = puzzle::to_features(puzzle::read_data(data, pool, notes), {"true", {}}, notes);
  for (const std::string& note : notes) terminal.say("note", one_line(note));
  if (loaded.features.cols != d)
    throw Error(ErrorCode::bad_data,
                fmt::format("the net takes {} inputs but the data has {} feature columns", d,
                            loaded.features.cols),
                {.file = data});
  return loaded;
}

int DropCommand::run() {
  Terminal terminal;
  lab::check_output_folder(folder, force);
  if (names.in.empty() != names.out.empty() || names.in.empty() != names.head.empty() ||
      (names.in.empty() && !names.stem.empty()))
    throw Error(ErrorCode::usage, "--in, --out and --head go together, and --stem with them");
  std::vector<Piece> chain = lab::read_checkpoint(model, names);
  Rows loaded = load_rows(chain, terminal);
  const std::size_t count = loaded.features.rows, pieces = chain.size();
  const lab::Dropped dropped =
      lab::drop(std::move(chain), std::move(loaded), activation, rng, threads);
  lab::write_puzzle(folder, dropped, nlohmann::json{{"model", model}}.dump(), force);
  terminal.say(
      "dropped",
      fmt::format(
          "{} into {} pieces and {} rows: {}/pieces, {}/data.csv; the answer is in {}/answer.json",
          model, pieces, count, folder, folder, folder));
  return 0;
}

}  // namespace

void add_drop(CLI::App& app, int& exit_code) {
  CLI::App* command =
      app.add_subcommand("drop", "Take a whole checkpoint apart into shuffled pieces");
  command->footer(R"(
MODEL is a state dict of residual blocks and a last layer: blocks.0.inp.weight, blocks.0.inp.bias,
blocks.0.out.weight, …, last.weight. Blocks are told by the numbers in the names; other names are
given as templates with {i}, counted from 0 or 1.

Examples:
  humpty drop model.pth --data features.csv -o puzzle
  humpty drop model.pth --in 'body.{i}.fc1' --out 'body.{i}.fc2' --head readout -o puzzle)");
  auto state = std::make_shared<DropCommand>();
  command
      ->add_option("MODEL", state->model,
                   "The checkpoint: PyTorch, safetensors, NumPy, ONNX or GGUF")
      ->required();
  command->add_option("-o,--output", state->folder, "Folder for the dropped net")
      ->required()
      ->type_name("DIR");
  command->add_flag("--force", state->force, "Replace a puzzle that is there already");
  command->add_option(
      "--data", state->data,
      "Table or arrays with the features; `pred` is computed (default: random features)");
  command->add_option("--rows", state->rows, "Random rows where there is no --data")
      ->transform(whole(1, 10'000'000))
      ->capture_default_str();
  command->add_option("--in", state->names.in, "Name of a block's first layer, as 'blocks.{i}.inp'")
      ->type_name("NAME");
  command->add_option("--out", state->names.out, "Name of a block's second layer")
      ->type_name("NAME");
  command->add_option("--head", state->names.head, "Name of the last layer")->type_name("NAME");
  command->add_option("--stem", state->names.stem, "Name of a projection before the blocks, if any")
      ->type_name("NAME");
  add_activation(*command, state->activation);
  add_threads(*command, state->threads);
  add_rng(*command, state->rng, "Random number for shuffling and random rows");
  command->callback([state, command, &exit_code] {
    if (!state->data.empty()) refuse_without_effect(*command, "with --data", {"--rows"});
    exit_code = state->run();
  });
}

}  // namespace humpty::cli
