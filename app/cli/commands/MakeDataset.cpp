// SPDX-License-Identifier: GPL-3.0-or-later

// make-dataset: any dataset as a folder of PNG files.

#include "app/cli/options/DataOptions.h"
#include "app/cli/options/ResultFlags.h"
#include "app/cli/terminal/Command.h"
#include "app/cli/terminal/ExitCodes.h"
#include "app/cli/terminal/ProgressBar.h"
#include "core/base/Text.h"
#include "core/base/Translation.h"
#include "core/config/DatasetKinds.h"
#include "core/workbench/session/Datasets.h"

namespace headlight::cli {
namespace {

const std::vector<std::string>& datasetKinds() {
  return findParameter(dataParameters(), "dataset")->choices;
}

class MakeDatasetCommand : public Command {
 public:
  CLI::App* declare(CLI::App& app) override {
    auto* command = app.add_subcommand(
        "make-dataset",
        tr("Write a dataset as FOLDER/train/CLASS/*.png and FOLDER/val/CLASS/*.png"));
    command->add_option("folder", m_folder, tr("Folder to create; it must be empty or not exist"))
        ->type_name("FOLDER");
    command
        ->add_option(
            "--kind", m_kind,
            joined(datasetKinds()) + tr("; default: the kind found in --path, or texture-shape"))
        ->type_name("TEXT");
    command->add_option("--path", m_path, tr("Dataset folder on disk, or a shard pattern"))
        ->type_name("FOLDER");
    const auto number = [&](const char* flag, std::int64_t& target, const char* help, double low,
                            double high) {
      command->add_option(flag, target, help)
          ->type_name("INT")
          ->check(CLI::Range(low, high).description(""));
    };
    number("--size", m_size, tr("texture-shape: image size in pixels; default 48"), 16, 2048);
    number("--train", m_spec.trainSamples, tr("texture-shape: training images; default 2000"), 2,
           1e9);
    number("--val", m_spec.validationSamples, tr("texture-shape: validation images; default 500"),
           2, 1e9);
    number("--drawn-classes", m_spec.drawnClasses,
           tr("texture-…: the first so many of the nine texture-shapes; default 9"), 2, 9);
    number("--max-samples", m_spec.maxSamples,
           tr("At most this many images of each split; default 0: all"), 0, 1e12);
    number("--seed", m_seed, tr("Random seed for images and splits; default 0"), 0,
           9007199254740991.0);
    declareJson(*command, m_json);
    return command;
  }

  int run(Terminal& terminal, std::stop_token stop) override {
    if (m_folder.empty()) refuseUsage("make-dataset", tr("needs the FOLDER to create"));
    m_spec.kind = kind();
    m_spec.path = m_path;
    m_spec.maxValidationSamples = m_spec.maxSamples;
    m_spec.imageSize = static_cast<int>(m_size);
    m_spec.seed = static_cast<std::uint64_t>(m_seed);
    ExportReport report;
    {
      ProgressBar bar(terminal);
      report = valueOrThrow(writeImageFolders(m_spec, m_folder, bar.callback(), stop));
    }
    Json skipped = Json::array();
    for (const auto& file : report.skipped) {
      skipped.push_back({{"path", file.path}, {"reason", file.reason}});
      terminal.warning(tr("skipped ") + file.path + ": " + file.reason);
    }
    if (terminal.json())
      terminal.printJson(
          Json{{"folder", m_folder}, {"written", report.written}, {"skipped", skipped}});
    else
      terminal.print(m_folder + ": " + std::to_string(report.written) + tr(" images") +
                     (report.skipped.empty()
                          ? ""
                          : ", " + std::to_string(report.skipped.size()) + tr(" skipped")));
    return kExitOk;
  }

 private:
  std::string kind() const {
    if (!m_kind.empty()) {
      const auto& kinds = datasetKinds();
      if (std::find(kinds.begin(), kinds.end(), m_kind) != kinds.end()) return m_kind;
      const std::string close = closestName(m_kind, kinds);
      refuseUsage("--kind", m_kind + tr(" is not a dataset; ") +
                                (close.empty() ? tr("see make-dataset --help")
                                               : tr("did you mean \"") + close + "\"?"));
    }
    if (m_path.empty()) return kProceduralData;
    std::string found = detectDatasetKind(m_path);
    if (found.empty()) throw Failure(noDatasetError(m_path));
    return found;
  }

  std::string m_folder, m_kind, m_path;
  DatasetSpec m_spec;
  std::int64_t m_size = 48, m_seed = 0;
  bool m_json = false;
};

}  // namespace

std::unique_ptr<Command> makeMakeDatasetCommand() {
  return std::make_unique<MakeDatasetCommand>();
}

}  // namespace headlight::cli
