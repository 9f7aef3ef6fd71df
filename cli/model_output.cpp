#include "model_output.hpp"

#include <filesystem>

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

void check_folder_of(const std::string& file) {
  const std::filesystem::path folder = std::filesystem::path(file).parent_path();
  std::error_code ignored;
  if (!folder.empty() && !std::filesystem::is_directory(folder, ignored))
    throw Error(ErrorCode::not_writable, "there is no such folder to write into", {.file = file});
}

void ModelOutput::check() const {
  model_format(file);
  layer_names(names);
  check_folder_of(file);
}

void ModelOutput::write(const std::vector<Piece>& applied, ModelOptions options,
                        Terminal& terminal) const {
  options.names = layer_names(names);
  write_model(file, applied, options);
  terminal.say("model", fmt::format("{}: {} layers, {}.weight … {}.weight", file, applied.size(),
                                    options.names.in, options.names.head));
}

}  // namespace humpty::cli
