// preprocess: what a model would see of pictures, as numbers.

#include "app/cli/Command.h"
#include "app/cli/ExitCodes.h"
#include "app/cli/Inputs.h"
#include "app/cli/ModelOptions.h"
#include "core/workbench/RawTensors.h"

namespace headlight::cli {
namespace {

class PreprocessCommand : public Command {
 public:
  CLI::App* declare(CLI::App& app) override {
    auto* command =
        app.add_subcommand("preprocess", "What a model would see of pictures, as a tensor file");
    command->add_option("images", m_images, "Pictures, or folders of them")->type_name("FILE");
    command
        ->add_option("-m,--model", m_model,
                     "A published name, a config, or a checkpoint that carries its Experiment")
        ->type_name("NAME|FILE");
    command
        ->add_option("-o,--output", m_output,
                     "The safetensors file to write, - for standard output: `input` [B,3,H,W], "
                     "normalised")
        ->type_name("FILE");
    command->add_flag("--json", m_json, "The result as one JSON object");
    return command;
  }

  int run(Terminal& terminal, std::stop_token stop) override {
    if (m_images.empty()) refuseUsage("preprocess", "needs a picture; name one");
    if (m_model.empty()) refuseUsage("--model", "is missing; give a published name or a config");
    if (m_output.empty()) refuseUsage("--output", "is missing; give the file to write");
    prepareOutput("--output", m_output, terminal);
    const Preprocessing preprocessing = preprocessingOf(experimentByName(m_model).model);
    RawImages images{0, preprocessing.height, preprocessing.width, {}};
    forEachPicture(expandPictures(m_images), true, terminal, [&](const auto&, const Image& image) {
      if (stop.stop_requested())
        throw Failure({ErrorCode::Canceled, "stopped; nothing written", ""});
      const std::vector<float> values = preprocess(image, preprocessing);
      images.values.insert(images.values.end(), values.begin(), values.end());
      ++images.count;
    });
    valueOrThrow(writeRawImages(m_output, images));
    if (terminal.json())
      terminal.printJson(
          Json{{"output", m_output}, {"input", {images.count, 3, images.height, images.width}}});
    else
      terminal.print(m_output + ": input [" + std::to_string(images.count) + ", 3, " +
                     std::to_string(images.height) + ", " + std::to_string(images.width) + "]");
    return kExitOk;
  }

 private:
  std::vector<std::string> m_images;
  std::string m_model, m_output;
  bool m_json = false;
};

}  // namespace

std::unique_ptr<Command> makePreprocessCommand() {
  return std::make_unique<PreprocessCommand>();
}

}  // namespace headlight::cli
