#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/parallel.hpp"
#include "base/text.hpp"
#include "commands.hpp"
#include "humpty/humpty.hpp"
#include "puzzle/rows.hpp"
#include "puzzle_options.hpp"
#include "terminal.hpp"
#include "values.hpp"

namespace humpty::cli {
namespace {

struct TrainCommand {
  lab::TrainOptions train;
  lab::Task task = lab::Task::regression;
  std::size_t dim = 0, outputs = 1, rows = 2000;
  std::string data, target = "true", folder;
  bool force = false;

  void add_to(CLI::App& command);
  void check(const CLI::App& command) const;
  int run();

 private:
  Rows load_rows(Terminal& terminal) const;
  void check_sizes(std::size_t width, std::size_t out) const;
  std::string about(const lab::TrainedNet& net, const Rows& rows) const;
};

void TrainCommand::add_to(CLI::App& command) {
  constexpr std::size_t kMost = 1'000'000;
  const CLI::Validator size = whole(1, kMost);
  command.add_option("-o,--output", folder, "Folder for the dropped net")
      ->required()
      ->type_name("DIR");
  command.add_flag("--force", force, "Replace a puzzle that is there already");

  const char* net = "The net";
  command.add_option("--blocks", train.blocks, "Residual blocks")
      ->transform(size)
      ->capture_default_str()
      ->group(net);
  command.add_option("--dim", dim, "Width of the stream (48, or as many as --data has features)")
      ->transform(size)
      ->group(net);
  command
      .add_option("--hidden", train.hidden,
                  "Hidden units; several numbers are taken in turn by the blocks")
      ->transform(size)
      ->default_str("96")
      ->group(net);
  command.add_option("--outputs", outputs, "Outputs (with --data: as many as the target has)")
      ->transform(size)
      ->capture_default_str()
      ->group(net);
  add_activation(command, train.activation);
  add_choice<lab::Init>(
      command, "--init", train.init,
      "default: as PyTorch; zero: W_out starts at zero; scaled: W_out divided by sqrt(blocks)",
      {{"default", lab::Init::standard}, {"zero", lab::Init::zero}, {"scaled", lab::Init::scaled}})
      ->group(net);

  const char* training = "Training";
  command.add_option("--epochs", train.epochs, "Rounds over the rows")
      ->transform(whole(0, kMost))
      ->capture_default_str()
      ->group(training);
  command.add_option("--batch", train.batch, "Rows per step")
      ->transform(size)
      ->capture_default_str()
      ->group(training);
  command.add_option("--lr", train.lr, "Learning rate")
      ->transform(above(0, 1000))
      ->capture_default_str()
      ->group(training);
  command.add_option("--weight-decay", train.weight_decay, "Weight decay")
      ->transform(number(0, 1000))
      ->capture_default_str()
      ->group(training);
  command.add_option("--momentum", train.momentum, "Momentum of sgd")
      ->transform(number(0, 1))
      ->capture_default_str()
      ->group(training);
  add_choice<lab::Optimizer>(command, "--optimizer", train.optimizer, "How the weights are moved",
                             {{"adam", lab::Optimizer::adam},
                              {"adamw", lab::Optimizer::adamw},
                              {"sgd", lab::Optimizer::sgd}})
      ->group(training);
  add_threads(command, train.threads);
  add_rng(command, train.rng, "Random number for weights, data, batches and shuffling")
      ->group(training);

  const char* about_data = "The data";
  command.add_option("--data", data, "CSV with features and target instead of a built-in task")
      ->type_name("FILE")
      ->group(about_data);
  command
      .add_option("--target", target, "Column of --data to learn; NAME_0, NAME_1, … for several")
      ->capture_default_str()
      ->group(about_data);
  add_choice<lab::Task>(
      command, "--task", task, "Built-in task; outputs are the targets or the classes",
      {{"regression", lab::Task::regression}, {"classification", lab::Task::classification}})
      ->group(about_data);
  command.add_option("--rows", rows, "Rows of the built-in task")
      ->transform(size)
      ->capture_default_str()
      ->group(about_data);
}

void TrainCommand::check(const CLI::App& command) const {
  if (data.empty())
    refuse_without_effect(command, "without --data", {"--target"});
  else
    refuse_without_effect(command, "with --data", {"--task", "--rows", "--outputs"});
  if (train.optimizer != lab::Optimizer::sgd)
    refuse_without_effect(command, "without --optimizer sgd", {"--momentum"});
}

void check_size(double numbers, const char* what, const char* advice) {
  constexpr double kMost = 1e9;  // with gradients and moments 16 GB
  if (numbers > kMost)
    throw Error(ErrorCode::too_large,
                fmt::format("{:.3g} {} are more than this trainer takes ({:.0e}); choose {}",
                            numbers, what, kMost, advice));
}

void TrainCommand::check_sizes(std::size_t width, std::size_t out) const {
  double weights = static_cast<double>(width) * static_cast<double>(out);
  for (std::size_t block = 0; block < train.blocks; ++block)
    weights += 2.0 * static_cast<double>(train.hidden[block % train.hidden.size()]) *
               static_cast<double>(width);
  check_size(weights, "weights", "fewer --blocks, a smaller --dim, --hidden or --outputs");
}

Rows TrainCommand::load_rows(Terminal& terminal) const {
  if (data.empty()) {
    const std::size_t width = dim ? dim : 48;
    check_sizes(width, outputs);
    check_size(static_cast<double>(rows * (width + outputs)), "numbers in the rows",
               "fewer --rows, a smaller --dim or --outputs");
    return lab::make_task(task, rows, width, outputs, train.rng);
  }
  Threads threads(train.threads);
  std::vector<std::string> notes;
  Rows loaded = puzzle::to_rows(puzzle::read_data(data, threads, notes), {target, {}}, notes);
  for (const std::string& note : notes) terminal.say("note", one_line(note));
  if (loaded.features.cols == 0)
    throw Error(ErrorCode::bad_data, "no feature columns", {.file = data});
  if (dim && dim != loaded.features.cols)
    throw Error(ErrorCode::usage,
                fmt::format("--dim {} but the data has {} features", dim, loaded.features.cols),
                {.file = data});
  check_sizes(loaded.features.cols, loaded.target.cols);
  return loaded;
}

std::string TrainCommand::about(const lab::TrainedNet& net, const Rows& rows_read) const {
  nlohmann::ordered_json config{{"blocks", train.blocks},
                                {"dim", rows_read.features.cols},
                                {"hidden", train.hidden},
                                {"outputs", rows_read.target.cols},
                                {"epochs", net.epochs},
                                {"batch", train.batch},
                                {"lr", train.lr},
                                {"weight_decay", train.weight_decay},
                                {"optimizer", lab::name(train.optimizer)},
                                {"init", lab::name(train.init)},
                                {"rows", rows_read.features.rows},
                                {"rng", train.rng}};
  config["data"] = !data.empty()                   ? data
                   : task == lab::Task::regression ? "regression"
                                                   : "classification";
  return nlohmann::ordered_json{{"loss", net.loss}, {"config", config}}.dump();
}

int TrainCommand::run() {
  Terminal terminal;
  lab::check_output_folder(folder, force);
  Rows rows_read = load_rows(terminal);
  train.loss =
      data.empty() && task == lab::Task::classification ? lab::Loss::cross_entropy : lab::Loss::mse;
  train.progress = terminal.progress();
  lab::TrainedNet net = lab::train(train, rows_read.features, rows_read.target);
  terminal.say("trained", fmt::format("{} of {} epochs{}: loss {:.4g}, {:.1f} s, {:.1f} GFLOP/s",
                                      net.epochs, train.epochs, net.stopped ? " (stopped)" : "",
                                      net.loss, net.seconds, net.flops / net.seconds / 1e9));
  const std::string kept = about(net, rows_read);
  const std::size_t pieces = net.pieces.size();
  lab::write_puzzle(folder,
                    lab::drop(std::move(net.pieces), std::move(rows_read), train.activation,
                              train.rng, train.threads),
                    kept, force);
  terminal.say(
      "dropped",
      fmt::format("into {} pieces: {}/pieces, {}/data.csv; the answer is in {}/answer.json", pieces,
                  folder, folder, folder));
  return 0;
}

}  // namespace

void add_train(CLI::App& app, int& exit_code) {
  CLI::App* command =
      app.add_subcommand("train", "Train a residual net and drop it: a puzzle of your own");
  command->footer(R"(
Writes DIR/pieces/piece_K.pth, DIR/data.csv (features, pred, true) and DIR/answer.json (the truth).
Ctrl-C stops the training and drops what there is.

Examples:
  humpty train -o mine --blocks 12 --dim 24 --hidden 48 --init zero --lr 7e-3 --epochs 100
  humpty solve mine
  humpty train -o appendix --data historical_data.csv --blocks 48 --hidden 96 --lr 1e-4 --epochs 200)");
  auto state = std::make_shared<TrainCommand>();
  state->add_to(*command);
  command->callback([state, command, &exit_code] {
    state->check(*command);
    exit_code = state->run();
  });
}

}  // namespace humpty::cli
