// SPDX-License-Identifier: GPL-3.0-or-later

// preprocess: what a model would see of images, as numbers.

#include "app/cli/options/Inputs.h"
#include "app/cli/options/ModelOptions.h"
#include "app/cli/options/ResultFlags.h"
#include "app/cli/options/WeightsOptions.h"
#include "app/cli/terminal/Command.h"
#include "app/cli/terminal/ExitCodes.h"
#include "core/base/Translation.h"
#include "core/base/files/Files.h"
#include "core/workbench/loading/WeightsPlace.h"
#include "core/workbench/session/RawTensors.h"

namespace headlight::cli {
namespace {

class PreprocessCommand : public Command {
 public:
  CLI::App* declare(CLI::App& app) override {
    auto* command = app.add_subcommand(
        "preprocess", tr("Preprocess images as a model would, and write a tensor file"));
    command->add_option("images", m_images, tr("Images or image folders"))->type_name("FILE");
    command
        ->add_option("-m,--model", m_model,
                     tr("A published name, a config, a Hugging Face hub folder, or a checkpoint "
                        "that contains its Experiment"))
        ->type_name("NAME|FILE|FOLDER");
    command
        ->add_option("-w,--weights", m_weights,
                     tr("Instead of --model: weights that identify their model, as in predict"))
        ->type_name("FILE|FOLDER");
    addTakeOption(*command, m_take);
    addHeadsOption(*command, m_heads);
    addTransparencyOption(*command, m_transparency);
    command
        ->add_option(
            "-o,--output", m_output,
            tr("safetensors file to write, - for standard output: `input` [B,3,H,W], normalized"))
        ->type_name("FILE");
    declareJson(*command, m_json);
    return command;
  }

  int run(Terminal& terminal, std::stop_token stop) override {
    if (m_images.empty()) refuseUsage("preprocess", tr("needs an image"));
    if (m_model.empty() && m_weights.empty())
      refuseUsage("--model", tr("is missing; give a published name or a config, or --weights"));
    if (m_output.empty()) refuseUsage("--output", tr("is missing; give the output file"));
    prepareOutput("--output", m_output, terminal);
    Experiment experiment = described();
    if (!m_transparency.empty()) experiment.model.transparency = m_transparency;
    const Preprocessing preprocessing = makePreprocessing(experiment.model);
    if (!terminal.json()) terminal.note("preprocessing: " + preprocessingJson(experiment).dump());
    RawImages images{0, preprocessing.height, preprocessing.width, {}};
    forEachImage(expandImages(m_images), true, terminal, [&](const auto&, const Image& image) {
      if (stop.stop_requested())
        throw Failure({ErrorCode::Canceled, tr("stopped; nothing written"), ""});
      takeSize(image, preprocessing, images);
      const std::vector<float> values = preprocess(image, preprocessing);
      images.values.insert(images.values.end(), values.begin(), values.end());
      ++images.count;
    });
    valueOrThrow(writeRawImages(m_output, images));
    if (terminal.json())
      terminal.printJson(Json{{"output", m_output},
                              {"input", {images.count, 3, images.height, images.width}},
                              {"preprocessing", preprocessingJson(experiment)}});
    else
      terminal.print(m_output + ": input [" + std::to_string(images.count) + ", 3, " +
                     std::to_string(images.height) + ", " + std::to_string(images.width) + "]");
    return kExitOk;
  }

 private:
  /// One tensor has images of one size; the first one's where a model takes them in proportion.
  static void takeSize(const Image& image, const Preprocessing& preprocessing, RawImages& images) {
    const ViewSize size = evaluationSize(image.width, image.height, preprocessing);
    if (images.count > 0 && (size.height != images.height || size.width != images.width))
      throw Failure({ErrorCode::InvalidArgument,
                     tr("the model takes images in proportion, and these differ; give one at a "
                        "time, or choose a model whose crop_mode is squash"),
                     "preprocess"});
    images.height = size.height;
    images.width = size.width;
  }

  /// The model decides for both; the weights must exist all the same.
  Experiment described() const {
    if (m_model.empty()) return valueOrThrow(loadExperiment(takenFrom(m_weights, m_take), m_heads));
    if (!m_weights.empty() && !isThere(parseWeightsPlace(m_weights).file))
      throw Failure({ErrorCode::NotFound, tr("does not exist; check the path"), m_weights});
    return experimentByName(m_model, m_heads);
  }

  /// What of the config says how images are prepared.
  static Json preprocessingJson(const Experiment& experiment) {
    const Json model = experimentToJson(experiment)["model"];
    Json said;
    for (const char* key : {"image_size", "image_width", "crop_fraction", "crop_mode",
                            "interpolation", "transparency", "mean", "deviation"})
      if (model.contains(key)) said[key] = model[key];
    return said;
  }

  std::vector<std::string> m_images;
  std::string m_model, m_weights, m_take, m_transparency, m_output;
  int m_heads = 0;
  bool m_json = false;
};

}  // namespace

std::unique_ptr<Command> makePreprocessCommand() {
  return std::make_unique<PreprocessCommand>();
}

}  // namespace headlight::cli
