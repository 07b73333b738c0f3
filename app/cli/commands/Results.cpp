// SPDX-License-Identifier: GPL-3.0-or-later

// results: what was measured on datasets and is kept, by the window or with --keep.

#include "app/cli/terminal/Command.h"
#include "app/cli/terminal/ExitCodes.h"
#include "core/base/Clock.h"
#include "core/base/Translation.h"
#include "core/workbench/results/ResultCache.h"

namespace headlight::cli {
namespace {

Json lineJson(const CachedResult& kept) {
  const ResultKey& key = kept.key;
  return {{"measured", kept.measured}, {"kind", key.kind},       {"detail", key.detail},
          {"model", key.model},        {"masks", key.scheme},    {"dataset", key.dataset},
          {"path", key.path},          {"samples", key.samples}, {"weights", key.weights},
          {"result", kept.result}};
}

std::string lineText(const CachedResult& kept) {
  const ResultKey& key = kept.key;
  std::string line = dateText(kept.measured) + "  " + key.kind;
  if (!key.detail.empty()) line += " " + key.detail;
  line += "  " + key.model + " " + key.weights.substr(0, 8) + tr(", masks ") + key.scheme + ", ";
  line += key.path.empty() ? key.dataset : key.path;
  return line + ", " + (key.samples > 0 ? tr("at most ") + std::to_string(key.samples) : "all") +
         tr(" images");
}

class ResultsCommand : public Command {
 public:
  CLI::App* declare(CLI::App& app) override {
    auto* command = app.add_subcommand(
        "results", tr("List the saved dataset measurements, with date, model and masks"));
    command->add_flag("--clear", m_clear, tr("Remove all saved results"));
    command
        ->add_option("--folder", m_folder,
                     tr("Folder of the results; default: \"headlight/results\" in your data folder "
                        "($XDG_DATA_HOME, or ~/.local/share), shared with the window"))
        ->type_name("FOLDER");
    command->add_flag("--json", m_json,
                      tr("Print the results with all their numbers as one JSON object"));
    return command;
  }

  int run(Terminal& terminal, std::stop_token) override {
    const ResultCache shelf(m_folder.empty() ? ResultCache::defaultFolder() : m_folder);
    return m_clear ? clear(shelf, terminal) : list(shelf, terminal);
  }

 private:
  int list(const ResultCache& shelf, Terminal& terminal) const {
    Json results = Json::array();
    for (const CachedResult& kept : valueOrThrow(shelf.list())) {
      results.push_back(lineJson(kept));
      if (!terminal.json()) terminal.print(lineText(kept));
    }
    if (terminal.json())
      terminal.printJson(Json{{"folder", shelf.folder().string()}, {"results", results}});
    else if (results.empty())
      terminal.note(tr("no saved results in ") + shelf.folder().string());
    return kExitOk;
  }

  static int clear(const ResultCache& shelf, Terminal& terminal) {
    const std::size_t removed = valueOrThrow(shelf.clear());
    if (terminal.json())
      terminal.printJson(Json{{"folder", shelf.folder().string()}, {"removed", removed}});
    else
      terminal.print(std::to_string(removed) + (removed == 1 ? tr(" result") : tr(" results")) +
                     tr(" removed from ") + shelf.folder().string());
    return kExitOk;
  }

  std::filesystem::path m_folder;
  bool m_clear = false, m_json = false;
};

}  // namespace

std::unique_ptr<Command> makeResultsCommand() {
  return std::make_unique<ResultsCommand>();
}

}  // namespace headlight::cli
