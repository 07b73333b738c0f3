// SPDX-License-Identifier: GPL-3.0-or-later

// models: the models that lie on this computer, in the caches of Hugging Face and torch hub and in
// chosen folders.

#include <algorithm>

#include "app/cli/options/ResultFlags.h"
#include "app/cli/terminal/Command.h"
#include "app/cli/terminal/ExitCodes.h"
#include "core/base/FreeMemory.h"
#include "core/base/Translation.h"
#include "core/workbench/hub/ModelFolders.h"
#include "core/workbench/loading/LocalModels.h"

namespace headlight::cli {
namespace {

Json localModelJson(const LocalModel& model) {
  return {{"name", model.name},
          {"architecture", model.architecture},
          {"tag", model.tag},
          {"license", model.license},
          {"bytes", model.bytes},
          {"path", model.path.string()},
          {"source", toText(model.source)},
          {"complete", model.complete},
          {"can_open", model.canOpen()},
          {"problem", model.problem.empty() ? Json(nullptr) : Json(model.problem)}};
}

std::string inColumn(std::string text, std::size_t width) {
  if (text.size() < width) text.append(width - text.size(), ' ');
  return text + "  ";
}

class ModelsCommand : public Command {
 public:
  CLI::App* declare(CLI::App& app) override {
    auto* command = app.add_subcommand(
        "models",
        tr("List the models on this computer: the Hugging Face and torch hub caches, and folders"));
    command
        ->add_option("words", m_words,
                     tr("Only models with these words in their name, architecture, tag or source"))
        ->type_name("WORD");
    command
        ->add_option(
            "--folder", m_folders,
            tr("Also list models in this folder, up to three levels down; may be repeated"))
        ->type_name("FOLDER");
    command
        ->add_option(
            "--add-folder", m_add,
            tr("Remember this folder, also for the window, and list its models from now on"))
        ->type_name("FOLDER");
    command->add_option("--remove-folder", m_remove, tr("Forget a remembered folder"))
        ->type_name("FOLDER");
    declareJson(*command, m_json);
    command->footer(
        tr("The Hugging Face cache is $HF_HUB_CACHE, $HF_HOME/hub or ~/.cache/huggingface/hub; the "
           "torch hub cache is $TORCH_HOME/hub/checkpoints or ~/.cache/torch/hub/checkpoints. Pass "
           "a listed path to --model, or to --weights for a single file."));
    return command;
  }

  int run(Terminal& terminal, std::stop_token stop) override {
    const ModelFolders kept(ModelFolders::defaultFile());
    if (!m_add.empty()) valueOrThrow(kept.add(m_add));
    if (!m_remove.empty()) valueOrThrow(kept.remove(m_remove));
    requireFolders();
    LocalPlaces places = LocalPlaces::ofThisComputer();
    places.folders.insert(places.folders.end(), m_folders.begin(), m_folders.end());
    const std::size_t leftOut = findLocalModels(
        places,
        [&](LocalModel model) {
          if (isFoundBy(model, search())) m_models.push_back(std::move(model));
        },
        stop);
    if (stop.stop_requested()) throw Failure({ErrorCode::Canceled, "stopped", "models"});
    if (leftOut > 0)
      terminal.warning(std::to_string(leftOut) +
                       tr(" entries left out because a folder has too many"));
    terminal.json() ? reportJson(places, leftOut, terminal) : notify(terminal);
    return kExitOk;
  }

 private:
  /// A folder that was named and is not there is a mistake; a missing cache is none.
  void requireFolders() const {
    for (const std::string& folder : m_folders)
      if (std::error_code unknown; !std::filesystem::is_directory(folder, unknown))
        throw Failure({ErrorCode::NotFound, tr("is not a folder"), folder});
  }

  std::string search() const {
    std::string words;
    for (const std::string& word : m_words)
      words += word + ' ';
    return words;
  }

  void notify(Terminal& terminal) const {
    std::size_t name = 5, architecture = 12, tag = 3;
    for (const LocalModel& model : m_models) {
      name = std::max(name, model.name.size());
      architecture = std::max(architecture, model.architecture.size());
      tag = std::max(tag, model.tag.size());
    }
    if (m_models.empty()) return terminal.note(tr("no models found"));
    terminal.print(inColumn("model", name) + inColumn("architecture", architecture) +
                   inColumn("tag", tag) + inColumn("size", 10) + "source");
    for (const LocalModel& model : m_models) {
      terminal.print(inColumn(model.name, name) + inColumn(model.architecture, architecture) +
                     inColumn(model.tag, tag) +
                     inColumn(bytesText(static_cast<std::int64_t>(model.bytes)), 10) +
                     toText(model.source));
      terminal.print("  " + (model.canOpen() ? model.path.string()
                                             : tr("cannot be opened: ") + model.problem));
    }
  }

  void reportJson(const LocalPlaces& places, std::size_t leftOut, Terminal& terminal) const {
    Json models = Json::array(), folders = Json::array();
    for (const LocalModel& model : m_models)
      models.push_back(localModelJson(model));
    for (const auto& folder : places.folders)
      folders.push_back(folder.string());
    terminal.printJson(Json{{"hub", places.hub.string()},
                            {"torch_hub", places.torch.string()},
                            {"folders", folders},
                            {"left_out", leftOut},
                            {"models", models}});
  }

  std::vector<std::string> m_words, m_folders;
  std::string m_add, m_remove;
  std::vector<LocalModel> m_models;
  bool m_json = false;
};

}  // namespace

std::unique_ptr<Command> makeModelsCommand() {
  return std::make_unique<ModelsCommand>();
}

}  // namespace headlight::cli
