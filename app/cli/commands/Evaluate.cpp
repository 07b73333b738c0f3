// evaluate: loss and accuracy of a model on a validation split.

#include <cstdio>
#include <filesystem>

#include "app/cli/Command.h"
#include "app/cli/ExitCodes.h"
#include "app/cli/ModelOptions.h"
#include "app/cli/ParameterFlags.h"
#include "app/cli/ProgressBar.h"
#include "core/workbench/Catalogue.h"
#include "core/workbench/Datasets.h"
#include "core/workbench/TrainingSession.h"

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
    EvaluationResult result;
    {
      ProgressBar bar(terminal);
      result = valueOrThrow(evaluate(m_model.source, experiment.data, masks ? &*masks : nullptr,
                                     bar.callback(), stop));
    }
    if (result.skipped > 0)
      terminal.warning(std::to_string(result.skipped) + " damaged files were skipped");
    report(result, terminal);
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
      const Experiment named = experimentByName(source.model);
      experiment.model = named.model;
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

  static void report(const EvaluationResult& result, Terminal& terminal) {
    if (terminal.json()) {
      terminal.printJson(Json{{"images", result.images},
                              {"loss", result.loss},
                              {"top1", result.top1},
                              {"top5", result.top5},
                              {"images_per_second", result.imagesPerSecond},
                              {"skipped", result.skipped}});
      return;
    }
    char line[200];
    std::snprintf(line, sizeof line,
                  "%lld images  loss %.4f  top-1 %.2f %%  top-5 %.2f %%  %.1f images/s",
                  static_cast<long long>(result.images), result.loss, 100 * result.top1,
                  100 * result.top5, result.imagesPerSecond);
    terminal.print(line);
  }

  std::string m_folder;
  bool m_json = false;
  ModelOptions m_model;
  ParameterFlags m_flags;
};

}  // namespace

std::unique_ptr<Command> makeEvaluateCommand() {
  return std::make_unique<EvaluateCommand>();
}

}  // namespace headlight::cli
