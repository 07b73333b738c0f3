// SPDX-License-Identifier: GPL-3.0-or-later

// search: a mask scheme for a model, by locality, by importance, at random; or soft heads made
// hard.

#include <cstdio>
#include <filesystem>

#include "app/cli/options/ExperimentOptions.h"
#include "app/cli/options/ModelOptions.h"
#include "app/cli/options/TableFlags.h"
#include "app/cli/terminal/Command.h"
#include "app/cli/terminal/ExitCodes.h"
#include "app/cli/terminal/ProgressBar.h"
#include "app/cli/terminal/Signals.h"
#include "core/base/Translation.h"
#include "core/base/files/Files.h"
#include "core/config/MasksJson.h"
#include "core/workbench/search/SchemeSearch.h"
#include "core/workbench/search/SearchEstimate.h"
#include "core/workbench/search/SearchFolder.h"

namespace headlight::cli {
namespace {

namespace fs = std::filesystem;

Json decisionJson(const SearchDecision& decision) {
  return {{"event", "decision"},
          {"round", decision.round},
          {"layer", decision.layer},
          {"head", decision.head < 0 ? Json() : Json(decision.head)},
          {"value", numberOrNull(decision.value)},
          {"decision", decision.action},
          {"reason", decision.reason}};
}

Json trialJson(const SearchTrial& trial) {
  return {{"event", "trial"},    {"name", trial.name}, {"masked_heads", trial.scheme.maskedHeads()},
          {"macs", trial.macs},  {"top1", trial.top1}, {"loss", trial.loss},
          {"taken", trial.taken}};
}

std::string decisionText(const SearchDecision& decision) {
  std::string text = decision.round + tr(", layer ") + std::to_string(decision.layer);
  if (decision.head >= 0) text += tr(", head ") + std::to_string(decision.head);
  return text + ": " + decision.action + "; " + decision.reason;
}

std::string trialText(const SearchTrial& trial) {
  char text[160];
  std::snprintf(text, sizeof text, tr(": %d heads masked, %.1f M MACs, top-1 %.2f %%, loss %.4f%s"),
                trial.scheme.maskedHeads(), static_cast<double>(trial.macs) / 1e6, 100 * trial.top1,
                trial.loss, trial.taken ? "" : tr(": loses too much"));
  return trial.name + text;
}

class SearchCommand : public Command {
 public:
  CLI::App* declare(CLI::App& app) override {
    auto* command = app.add_subcommand(
        "search", tr("Search for heads to mask: MaiT's quick search, by importance, or at random"));
    command
        ->add_option("config", m_options.config,
                     tr("An Experiment; default: the one in the checkpoint of --weights"))
        ->type_name("CONFIG");
    command
        ->add_option(
            "-o,--output", m_output,
            tr("Folder of the search: scheme.json, report.md, decisions.csv and the runs; "
               "default searches/NAME-METHOD, with a number behind it where another search "
               "is. An existing search of the same settings resumes"))
        ->type_name("FOLDER");
    m_options.declare(*command);
    command->add_flag("--plan", m_planOnly,
                      tr("Only estimate the time from a few steps, without searching"));
    command->add_flag("--json", m_json,
                      tr("Print one JSON object per line: round, epoch, decision and trial events "
                         "as they happen, and finished at the end"));
    command->footer(
        tr("mait trains twice and needs a CONFIG; greedy, random and harden evaluate the\n"
           "trained model of --weights. Every parameter of the Experiment is a flag, in the groups "
           "above.\n"
           "Ctrl+C writes a checkpoint and exits with 130; the same command then resumes."));
    m_searchFlags.declare(*command);
    m_options.declareFlags(*command);
    return command;
  }

  int run(Terminal& terminal, std::stop_token stop) override {
    surviveClosedPipes();
    const SearchPlan plan = described();
    const fs::path output = m_output.empty() ? defaultFolder(plan) : fs::path(m_output);
    if (m_planOnly) {
      reportTime(valueOrThrow(estimateSearch(plan, output, stop)), terminal);
      return kExitOk;
    }
    terminal.note(plan.options.method + tr(" search in ") + output.string());
    ProgressBar bar(terminal);
    const SearchObserver observer = reporting(terminal, bar);
    const SearchReport report = valueOrThrow(searchScheme(plan, output, observer, stop));
    notify(report, output, terminal);
    return kExitOk;
  }

 private:
  SearchPlan described() const {
    if (m_options.config.empty() && m_options.weights.empty() && m_options.model.empty())
      refuseUsage("search", tr("needs a CONFIG, or --weights FILE of a trained model"));
    SearchPlan plan;
    m_searchFlags.read(&plan.options);
    std::optional<Json> base;
    if (m_options.config.empty() && m_options.model.empty())
      base = experimentToJson(ofCheckpoint(m_options.weights));
    plan.experiment = m_options.describe(base);
    return plan;
  }

  static fs::path defaultFolder(const SearchPlan& plan) {
    return searchFolder(fs::path("searches") / folderNameFrom(plan.experiment.name, "search"),
                        plan);
  }

  static void reportTime(const SearchEstimate& estimate, Terminal& terminal) {
    if (terminal.json())
      terminal.printJson(
          Json{{"event", "plan"}, {"seconds", estimate.seconds}, {"at_most", estimate.atMost}});
    else
      terminal.print(searchTimeText(estimate));
  }

  /// Its edits are history: the masks that it was saved with count.
  static Experiment ofCheckpoint(const std::string& weights) {
    Experiment experiment = experimentByName(weights);
    experiment.edits.clear();
    return experiment;
  }

  static SearchObserver reporting(Terminal& terminal, ProgressBar& bar) {
    SearchObserver observer;
    observer.begun = [&](const std::string& round, const MaskScheme& scheme, bool resumed) {
      if (terminal.json())
        terminal.printJson(Json{{"event", "round"},
                                {"round", round},
                                {"masked_heads", scheme.maskedHeads()},
                                {"resumed", resumed}});
      else
        terminal.note(round + (resumed ? tr(": resuming ") : tr(": training ")) +
                      std::to_string(scheme.maskedHeads()) + tr(" masked heads"));
    };
    observer.update = [&](const TrainingUpdate& update) { reportEpochs(update, terminal); };
    observer.decided = [&](const SearchDecision& decision) {
      if (terminal.json())
        terminal.printJson(decisionJson(decision));
      else
        terminal.note(decisionText(decision));
    };
    observer.tried = [&](const SearchTrial& trial) {
      if (terminal.json())
        terminal.printJson(trialJson(trial));
      else
        terminal.note(trialText(trial));
    };
    observer.progress = [&](const Progress& progress) { bar.show(progress); };
    return observer;
  }

  static void reportEpochs(const TrainingUpdate& update, Terminal& terminal) {
    for (const auto& warning : update.warnings)
      terminal.warning(warning);
    for (const EpochPoint& point : update.epochPoints) {
      if (terminal.json()) {
        terminal.printJson(Json{{"event", "epoch"},
                                {"epoch", point.epoch},
                                {"train_loss", point.trainLoss},
                                {"top1", point.top1}});
        continue;
      }
      char line[120];
      std::snprintf(line, sizeof line, tr("epoch %lld/%lld  train loss %.4f  top-1 %.2f %%"),
                    static_cast<long long>(point.epoch), static_cast<long long>(update.epochs),
                    point.trainLoss, 100 * point.top1);
      terminal.note(line);
    }
  }

  static void notify(const SearchReport& report, const fs::path& output, Terminal& terminal) {
    const std::string scheme = (output / kSearchScheme).string();
    if (terminal.json()) {
      terminal.printJson(Json{{"event", "finished"},
                              {"masks", maskConfigToJson(describeMasks(report.scheme))},
                              {"masked_heads", report.scheme.maskedHeads()},
                              {"macs", report.macs},
                              {"macs_unmasked", report.unmaskedMacs},
                              {"pictures", report.images},
                              {"scheme", scheme},
                              {"report", (output / kSearchReport).string()}});
      return;
    }
    char line[160];
    std::snprintf(line, sizeof line, tr("%d heads masked, %.1f M MACs instead of %.1f M"),
                  report.scheme.maskedHeads(), static_cast<double>(report.macs) / 1e6,
                  static_cast<double>(report.unmaskedMacs) / 1e6);
    terminal.print(line);
    terminal.print("scheme: " + scheme + tr("; why: ") + (output / kSearchReport).string());
  }

  std::string m_output;
  bool m_json = false, m_planOnly = false;
  ExperimentOptions m_options;
  TableFlags m_searchFlags{searchParameters(), "Search"};
};

}  // namespace

std::unique_ptr<Command> makeSearchCommand() {
  return std::make_unique<SearchCommand>();
}

}  // namespace headlight::cli
