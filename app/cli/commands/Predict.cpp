// SPDX-License-Identifier: GPL-3.0-or-later

// predict: classes of images, or the logits of a raw tensor.

#include <cmath>
#include <cstdio>

#include "app/cli/options/Inputs.h"
#include "app/cli/options/MapInputs.h"
#include "app/cli/options/ModelOptions.h"
#include "app/cli/reports/ObjectText.h"
#include "app/cli/terminal/Command.h"
#include "app/cli/terminal/ExitCodes.h"
#include "core/base/Translation.h"
#include "core/workbench/session/RawTensors.h"

namespace headlight::cli {
namespace {

/// Images that go through the model together: more is no faster on a few cores.
constexpr std::int64_t kBatch = 16;

class PredictCommand : public Command {
 public:
  CLI::App* declare(CLI::App& app) override {
    auto* command =
        app.add_subcommand("predict", tr("Show a model's class predictions for images"));
    command
        ->add_option("images", m_images,
                     tr("Images or image folders; or, without a model, a map file with logits"))
        ->type_name("FILE");
    command
        ->add_option("--tensor", m_tensor,
                     tr("Instead of images: a safetensors file with `input` [B,3,H,W], normalized"))
        ->type_name("FILE");
    command
        ->add_option(
            "-o,--output", m_output,
            tr("Also write `logits` [B, classes], or without a classifier `features` [B, D] (of a "
               "detector also `object_logits` and `object_boxes`), to this safetensors file; - for "
               "standard output"))
        ->type_name("FILE");
    command->add_option("--top", m_top, tr("Number of classes to show; default 5"))
        ->type_name("INT")
        ->check(CLI::Range(1, 100000).description(""));
    command
        ->add_option("--threshold", m_threshold,
                     tr("List a detector's (YOLOS) objects that score at least this much, 0 to 1; "
                        "default 0.5"))
        ->type_name("NUM")
        ->check(CLI::Range(0.0, 1.0).description(""));
    command->add_flag("--json", m_json, tr("Print the result as one JSON object"));
    m_model.declare(*command);
    return command;
  }

  int run(Terminal& terminal, std::stop_token stop) override {
    if (m_images.empty() == m_tensor.empty())
      refuseUsage("predict", tr("needs either images or --tensor FILE"));
    prepareOutput("--output", m_output, terminal);
    const auto maps = mapInput(m_images, m_model, "predict");
    if (!maps) m_model.require();
    const auto images = expandImages(m_images);
    m_session = maps ? openMaps(maps->file, m_model, terminal) : m_model.open(terminal);
    m_masks = m_model.masksFor(m_session->info());
    const int exitCode = maps               ? predictMaps(*maps, terminal, stop)
                         : m_tensor.empty() ? predictImages(images, terminal, stop)
                                            : predictTensor(terminal, stop);
    if (terminal.json())
      terminal.printJson(
          Json{{"model", modelJson(m_session->info(), m_masks)}, {"results", m_results}});
    if (!m_output.empty()) valueOrThrow(writeRawResults(m_output, m_inferences, {}));
    return exitCode;
  }

 private:
  /// What the model that made them made of the images.
  int predictMaps(const MapInput& maps, Terminal& terminal, std::stop_token stop) {
    if (m_session->info().experiment.model.classes == 0)
      throw Failure(
          {ErrorCode::InvalidArgument,
           tr("has maps but no logits; give a model, or write `logits` [B, classes] into the file"),
           maps.file.string()});
    forEachMapImage(maps, *m_session, [&](const std::string& name, const Image& image) {
      InferenceResult inference =
          valueOrThrow(m_session->infer(image, m_masks, {false, m_top}, stop));
      report(name, inference.top, terminal);
      if (!m_output.empty()) m_inferences.emplace_back().logits = std::move(inference.logits);
    });
    return kExitOk;
  }

  int predictTensor(Terminal& terminal, std::stop_token stop) {
    const RawImages images = valueOrThrow(readRawImages(m_tensor));
    std::vector<SeenImage> names;
    for (std::int64_t i = 0; i < images.count; ++i)
      names.push_back({m_tensor + "[" + std::to_string(i) + "]", static_cast<int>(images.width),
                       static_cast<int>(images.height)});
    predict(images, names, terminal, stop);
    return kExitOk;
  }

  int predictImages(const std::vector<std::filesystem::path>& images, Terminal& terminal,
                    std::stop_token stop) {
    const Preprocessing preprocessing = makePreprocessing(m_session->info().experiment.model);
    RawImages batch{0, preprocessing.height, preprocessing.width, {}};
    std::vector<SeenImage> names;
    const auto flush = [&] {
      if (batch.count > 0) predict(batch, names, terminal, stop);
      batch.count = 0;
      batch.values.clear();
      names.clear();
    };
    const int exitCode = forEachImage(
        images, !m_output.empty(), terminal, [&](const auto& path, const Image& image) {
          const std::vector<float> values = preprocess(image, preprocessing);
          batch.values.insert(batch.values.end(), values.begin(), values.end());
          names.push_back({path.string(), image.width, image.height});
          if (++batch.count == kBatch) flush();
        });
    flush();
    return exitCode;
  }

  void predict(const RawImages& images, const std::vector<SeenImage>& names, Terminal& terminal,
               std::stop_token stop) {
    auto inferences = valueOrThrow(inferRaw(*m_session, images, m_masks, false, stop));
    for (std::size_t i = 0; i < inferences.size(); ++i) {
      if (holdsNaN(inferences[i])) throw Failure(noNumbers(m_session->info(), names[i].name));
      if (!inferences[i].objectBoxes.empty())
        reportObjects(names[i], inferences[i], terminal);
      else if (m_session->info().experiment.model.classes == 0)
        reportFeatures(names[i].name, inferences[i].features, terminal);
      else
        report(names[i].name,
               rankClasses(inferences[i].logits, m_session->info().classNames, m_top,
                           hasSigmoidScores(m_session->info().experiment.model)),
               terminal);
      if (!m_output.empty()) m_inferences.push_back(std::move(inferences[i]));
    }
  }

  void reportObjects(const SeenImage& image, const RawInferenceResult& inference,
                     Terminal& terminal) {
    const ModelInfo& info = m_session->info();
    const auto all = rankObjects(inference.objectLogits, inference.objectBoxes, info.objectNames);
    const auto shown = objectsAbove(all, m_threshold);
    if (terminal.json())
      m_results.push_back({{"image", image.name},
                           {"threshold", m_threshold},
                           {"objects", objectsJson(shown, image, info.experiment.model)}});
    else
      printObjects(shown, all.size() - shown.size(), m_threshold, image, info.experiment.model,
                   terminal);
  }

  /// Without a classifier there is nothing to predict.
  void reportFeatures(const std::string& name, const std::vector<float>& features,
                      Terminal& terminal) {
    if (terminal.json()) {
      m_results.push_back({{"image", name}, {"features", features}});
      return;
    }
    double squares = 0;
    for (const float value : features)
      squares += double{value} * value;
    char length[32];
    std::snprintf(length, sizeof length, "%.4g", std::sqrt(squares));
    terminal.print(name);
    terminal.print(tr("  no classifier: ") + std::to_string(features.size()) +
                   tr(" features of length ") + length +
                   tr(" (all of them with --output or --json)"));
  }

  void report(const std::string& name, const std::vector<ClassScore>& top, Terminal& terminal) {
    if (terminal.json()) {
      m_results.push_back({{"image", name}, {"top", topJson(top)}});
      return;
    }
    terminal.print(name);
    for (const auto& score : top) {
      char share[32];
      std::snprintf(share, sizeof share, "%6.1f %%  %4d  ", 100 * score.probability, score.index);
      terminal.print(share + score.name);
    }
  }

  std::vector<std::string> m_images;
  std::string m_tensor, m_output;
  int m_top = 5;
  double m_threshold = kDefaultObjectThreshold;
  bool m_json = false;
  ModelOptions m_model;

  std::unique_ptr<InferenceSession> m_session;
  MaskScheme m_masks;
  Json m_results = Json::array();
  std::vector<RawInferenceResult> m_inferences;
};

}  // namespace

std::unique_ptr<Command> makePredictCommand() {
  return std::make_unique<PredictCommand>();
}

}  // namespace headlight::cli
