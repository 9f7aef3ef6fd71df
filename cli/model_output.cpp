#include "model_output.hpp"

#include <fmt/format.h>

namespace humpty::cli {

void ModelOutput::add_names_to(CLI::App& command) {
  const LayerNames usual = layer_names("");
  command
      .add_option("--names", names,
                  "What the model's layers are called, {i} being the block's number: "
                  "blocks.{i}.inp.weight, or IN,OUT,HEAD, or IN,OUT,HEAD,STEM")
      ->type_name("TEMPLATE")
      ->default_str(fmt::format("{},{},{},{}", usual.in, usual.out, usual.head, usual.stem));
}

void ModelOutput::check() const {
  model_format(file);
  layer_names(names);
}

void ModelOutput::write(const std::vector<Piece>& applied, ModelOptions options,
                        Terminal& terminal) const {
  options.names = layer_names(names);
  write_model(file, applied, options);
  terminal.say("model", fmt::format("{}: {} layers, {}.weight … {}.weight", file, applied.size(),
                                    options.names.in, options.names.head));
}

}  // namespace humpty::cli
