// evaluate: loss and accuracy of a model on a validation split, and what castling changes of them.

#include <cmath>
#include <cstdio>
#include <filesystem>

#include "app/cli/Command.h"
#include "app/cli/ExitCodes.h"
#include "app/cli/ModelOptions.h"
#include "app/cli/ParameterFlags.h"
#include "app/cli/ProgressBar.h"
#include "core/workbench/Catalogue.h"
#include "core/workbench/Datasets.h"
#include "core/workbench/Evaluate.h"

namespace headlight::cli {
namespace {

class EvaluateCommand : public Command {
 public:
  CLI::App* declare(CLI::App& app) override {
    auto* command =
        app.add_subcommand("evaluate", "Loss and accuracy of a model on a validation split");
    command
        ->add_option("--data", m_folder,
                     "Folder of the dataset, its kind told by what lies in it; default: the "
                     "data that the config or the checkpoint names")
        ->type_name("FOLDER");
    command->add_flag("--castle", m_castle,
                      "Of a model with auxiliary softmax branches (linear_angular): the accuracy "
                      "with them and without (castled), and whether nothing of them was left");
    command->add_flag("--json", m_json, "The result as one JSON object");
    m_model.declare(*command);
    m_flags.declare(*command, {"data"});
    return command;
  }

  int run(Terminal& terminal, std::stop_token stop) override {
    m_model.require();
    const Experiment experiment = describe();
    std::optional<MaskScheme> masks;
    if (!m_model.masks.empty())
      masks = valueOrThrow(masksFromNameOrFile(m_model.masks, maskShapeOf(experiment.model)));
    const EvaluationRequest request{m_model.source, experiment.data, masks,
                                    [&](const ModelInfo& info) { sayHowItOpened(info, terminal); }};
    ProgressBar bar(terminal);
    if (m_castle)
      report(valueOrThrow(evaluateCastling(request, bar.callback(), stop)), terminal);
    else
      report(valueOrThrow(evaluate(request, bar.callback(), stop)), terminal);
    return kExitOk;
  }

 private:
  /// Model and data: the weights' own Experiment, replaced by what --model says, then the flags.
  Experiment describe() const {
    const ModelSource& source = m_model.source;
    Experiment experiment;
    if (!source.weights.empty()) {
      // Weights without an Experiment are fine here; unreadable ones are refused when they load.
      if (auto inside = experimentOf(source.weights)) experiment = *inside;
    }
    if (!source.model.empty()) {
      // Masks belong to a model: those that the weights were trained with may not fit this one.
      const Experiment named = experimentByName(source.model);
      experiment.model = named.model;
      experiment.masks = named.masks;
      experiment.edits = named.edits;
      if (std::filesystem::exists(source.model)) experiment.data = named.data;
    }
    Json json = experimentToJson(experiment);
    if (!m_folder.empty()) {
      const std::string kind = detectDatasetKind(m_folder);
      if (kind.empty())
        throw Failure({ErrorCode::UnsupportedFile,
                       "holds no dataset that is known; give --data.dataset and --data.path if it "
                       "does",
                       m_folder});
      json["data"]["dataset"] = kind;
      json["data"]["path"] = m_folder;
    }
    m_flags.apply(json);
    return valueOrThrow(experimentFromJson(json, modelCatalogue()));
  }

  static Json toJson(const EvaluationResult& result) {
    return {{"images", result.images},
            {"loss", result.loss},
            {"top1", result.top1},
            {"top5", result.top5},
            {"images_per_second", result.imagesPerSecond},
            {"skipped", result.skipped}};
  }

  static std::string toText(const EvaluationResult& result) {
    char line[200];
    std::snprintf(line, sizeof line,
                  "%lld images  loss %.4f  top-1 %.2f %%  top-5 %.2f %%  %.1f images/s",
                  static_cast<long long>(result.images), result.loss, 100 * result.top1,
                  100 * result.top5, result.imagesPerSecond);
    return line;
  }

  static void warnOfSkipped(const EvaluationResult& result, Terminal& terminal) {
    if (result.skipped > 0)
      terminal.warning(std::to_string(result.skipped) + " damaged files were skipped");
  }

  static void report(const EvaluationResult& result, Terminal& terminal) {
    warnOfSkipped(result, terminal);
    if (terminal.json())
      terminal.printJson(toJson(result));
    else
      terminal.print(toText(result));
  }

  static void report(const CastlingReport& result, Terminal& terminal) {
    warnOfSkipped(result.with, terminal);
    if (terminal.json()) {
      Json nonzeros = Json::array(), perImage = Json::array();  // NaN (no branch) becomes null
      for (const auto& layer : result.layers) {
        nonzeros.push_back(layer.nonzeros);
        perImage.push_back(layer.perImage);
      }
      terminal.printJson(Json{{"with", toJson(result.with)},
                              {"castled", toJson(result.castled)},
                              {"nonzeros", nonzeros},
                              {"nonzeros_per_image", perImage},
                              {"free", result.free},
                              {"verdict", result.verdict}});
      return;
    }
    terminal.print("with the auxiliary branch  " + toText(result.with));
    terminal.print("castled                    " + toText(result.castled));
    for (std::size_t l = 0; l < result.layers.size(); ++l) {
      const auto& layer = result.layers[l];
      char line[120];
      std::snprintf(line, sizeof line, "layer %zu: %.3g %% nonzeros, %.6g an image", l,
                    100 * layer.nonzeros, layer.perImage);
      terminal.print(std::isnan(layer.nonzeros)
                         ? "layer " + std::to_string(l) + ": no auxiliary branch"
                         : std::string(line));
    }
    terminal.print("castling is " + result.verdict);
  }

  std::string m_folder;
  bool m_json = false, m_castle = false;
  ModelOptions m_model;
  ParameterFlags m_flags;
};

}  // namespace

std::unique_ptr<Command> makeEvaluateCommand() {
  return std::make_unique<EvaluateCommand>();
}

}  // namespace headlight::cli
