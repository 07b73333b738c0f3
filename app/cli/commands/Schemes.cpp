// SPDX-License-Identifier: GPL-3.0-or-later

// schemes: mask schemes that are kept by name, for --masks and for the window.

#include <algorithm>
#include "app/cli/options/ModelOptions.h"
#include "app/cli/terminal/Command.h"
#include "app/cli/terminal/ExitCodes.h"
#include "core/base/Translation.h"
#include "core/base/files/Files.h"
#include "core/config/MasksJson.h"
#include "core/masks/MaskEdit.h"
#include "core/models/Registry.h"
#include "core/workbench/session/SchemeLibrary.h"

namespace headlight::cli {
namespace {

/// "sch2, windows of 5", or how many heads of how many are masked.
std::string schemeText(const MaskConfig& masks) {
  if (masks.cells.empty())
    return masks.scheme + tr(", windows of ") + std::to_string(masks.window) +
           tr(", for any model");
  std::size_t heads = 0, masked = 0;
  for (const auto& layer : masks.cells)
    for (const HeadMask& mask : layer) {
      ++heads;
      masked += mask.kind != MaskKind::None;
    }
  return std::to_string(masked) + " of " + std::to_string(heads) + tr(" heads in ") +
         std::to_string(masks.cells.size()) + tr(" layers masked");
}

class SchemesCommand : public Command {
 public:
  CLI::App* declare(CLI::App& app) override {
    auto* command = app.add_subcommand(
        "schemes", tr("Manage saved mask schemes: list, save, rename, remove, show, diff"));
    command
        ->add_option("action", m_action,
                     tr("list; save NAME --from WHAT; rename NAME NEW; remove NAME...; show NAME; "
                        "diff BEFORE AFTER"))
        ->type_name("ACTION");
    command
        ->add_option("names", m_names,
                     tr("Scheme names; show and diff also take any value of --masks"))
        ->type_name("NAME");
    command
        ->add_option("--from", m_from,
                     tr("With save: a mask file, a config, a checkpoint or a run folder; or any "
                        "value of --masks"))
        ->type_name("FILE|RUN|NAME");
    command->add_flag("--replace", m_replace,
                      tr("With save: replace an existing scheme of this name"));
    command
        ->add_option("-m,--model", m_model,
                     tr("Model whose layers and heads the scheme fits; needed for presets"))
        ->type_name("NAME|FILE");
    command
        ->add_option("--folder", m_folder,
                     tr("Folder of the schemes; default: \"headlight/schemes\" in your data folder "
                        "($XDG_DATA_HOME, or ~/.local/share), shared with the window"))
        ->type_name("FOLDER");
    command->add_flag("--json", m_json, tr("Print the result as one JSON object"));
    return command;
  }

  int run(Terminal& terminal, std::stop_token) override {
    const SchemeLibrary shelf(m_folder.empty() ? SchemeLibrary::defaultFolder()
                                               : std::filesystem::path(m_folder));
    if (!m_from.empty() != (m_action == "save"))
      refuseUsage(m_action == "save" ? "--from" : m_action,
                  m_action == "save" ? tr("is missing; give the scheme to save")
                                     : tr("does not take --from; only save does"));
    if (m_action == "list") return list(shelf, terminal);
    if (m_action == "save") return save(shelf, terminal);
    if (m_action == "rename") return rename(shelf, terminal);
    if (m_action == "remove") return remove(shelf, terminal);
    if (m_action == "show") return show(shelf, terminal);
    if (m_action == "diff") return diff(shelf, terminal);
    refuseUsage("schemes", tr("needs one of list, save, rename, remove, show and diff"));
  }

 private:
  void requireNames(std::size_t count, const char* what) const {
    if (m_names.size() != count) refuseUsage("schemes " + m_action, what);
  }

  int list(const SchemeLibrary& shelf, Terminal& terminal) const {
    requireNames(0, tr("takes no names"));
    Json entries = Json::array();
    for (const std::string& name : valueOrThrow(shelf.names())) {
      const auto masks = shelf.read(name);
      const std::string text = masks ? schemeText(*masks) : masks.error().text();
      if (!masks) terminal.warning(text);
      entries.push_back({{"name", name}, {"readable", masks.ok()}, {"text", text}});
      if (masks && !terminal.json()) terminal.print(name + "  " + text);
    }
    if (terminal.json())
      terminal.printJson(Json{{"folder", shelf.folder().string()}, {"schemes", entries}});
    return kExitOk;
  }

  int save(const SchemeLibrary& shelf, Terminal& terminal) const {
    requireNames(1, tr("needs one NAME"));
    const bool aFile = isThere(m_from) && !isMaskPreset(m_from) && !shelf.has(m_from);
    const MaskConfig masks = aFile ? valueOrThrow(masksIn(m_from)) : configNamed(m_from, shelf);
    using Existing = SchemeLibrary::Existing;
    valueOrThrow(shelf.save(m_names[0], masks, m_replace ? Existing::Replace : Existing::Refuse));
    report(m_names[0], "saved: " + schemeText(masks), terminal);
    return kExitOk;
  }

  int rename(const SchemeLibrary& shelf, Terminal& terminal) const {
    requireNames(2, tr("needs NAME and NEW"));
    valueOrThrow(shelf.rename(m_names[0], m_names[1]));
    report(m_names[1], tr("renamed from ") + m_names[0], terminal);
    return kExitOk;
  }

  int remove(const SchemeLibrary& shelf, Terminal& terminal) const {
    if (m_names.empty()) refuseUsage("schemes remove", tr("needs at least one NAME"));
    for (const std::string& name : m_names) {
      valueOrThrow(shelf.remove(name));
      report(name, "removed", terminal);
    }
    return kExitOk;
  }

  int show(const SchemeLibrary& shelf, Terminal& terminal) const {
    requireNames(1, tr("needs one NAME"));
    const MaskConfig masks = configNamed(m_names[0], shelf);
    if (terminal.json()) {
      terminal.printJson(Json{{"name", m_names[0]}, {"masks", maskConfigToJson(masks)}});
      return kExitOk;
    }
    terminal.print(m_names[0] + "  " + schemeText(masks));
    for (std::size_t l = 0; l < masks.cells.size(); ++l) {
      std::string line = tr("layer ");
      line.append(std::to_string(l)).append(":");
      for (const HeadMask& mask : masks.cells[l])
        line.append(" ").append(toText(mask));
      terminal.print(line);
    }
    return kExitOk;
  }

  int diff(const SchemeLibrary& shelf, Terminal& terminal) const {
    requireNames(2, tr("needs two schemes, BEFORE and AFTER"));
    const MaskShape shape = commonShape(shelf);
    const MaskEdit edit =
        valueOrThrow(makeMaskEdit(valueOrThrow(masksNamed(m_names[0], shape, shelf)),
                                  valueOrThrow(masksNamed(m_names[1], shape, shelf)), ""));
    Json cells = Json::array();
    for (const MaskChange& change : edit.changes) {
      cells.push_back({{"layer", change.layer},
                       {"head", change.head},
                       {"before", toText(change.before)},
                       {"after", toText(change.after)}});
      if (!terminal.json())
        terminal.print(tr("layer ") + std::to_string(change.layer) + tr(" head ") +
                       std::to_string(change.head) + "  " + toText(change.before) + " -> " +
                       toText(change.after));
    }
    if (terminal.json())
      terminal.printJson(Json{{"before", m_names[0]}, {"after", m_names[1]}, {"cells", cells}});
    else
      terminal.note(std::to_string(edit.changes.size()) + tr(" heads differ"));
    return kExitOk;
  }

  /// As it is kept; a name that takes a model to be understood is for --model.
  MaskConfig configNamed(const std::string& name, const SchemeLibrary& shelf) const {
    if (!m_model.empty()) return describeMasks(valueOrThrow(masksNamed(name, modelShape(), shelf)));
    if (!isMaskPreset(name) && shelf.has(name)) return valueOrThrow(shelf.read(name));
    if (!isMaskPreset(name) && isThere(name)) return valueOrThrow(masksIn(name));
    refuseUsage("--model", tr("is needed to know the layers and heads of ") + name);
  }

  MaskShape modelShape() const { return makeMaskShape(experimentByName(m_model).model); }

  /// That of the model, or of whichever scheme has cells of its own.
  MaskShape commonShape(const SchemeLibrary& shelf) const {
    if (!m_model.empty()) return modelShape();
    std::vector<int> heads;
    for (const std::string& name : m_names) {
      if (isMaskPreset(name)) continue;
      const auto masks = shelf.has(name) ? shelf.read(name) : masksIn(name);
      if (!masks) continue;
      for (std::size_t l = 0; l < masks->cells.size(); ++l) {
        if (l == heads.size()) heads.push_back(0);
        heads[l] = std::max(heads[l], static_cast<int>(masks->cells[l].size()));
      }
    }
    if (heads.empty())
      refuseUsage(
          "--model",
          tr("is needed, because neither scheme says how many layers and heads the model has"));
    return MaskShape(heads);
  }

  static void report(const std::string& name, const std::string& what, Terminal& terminal) {
    if (terminal.json())
      terminal.printJson(Json{{"name", name}, {"done", what}});
    else
      terminal.print(name + "  " + what);
  }

  std::string m_action, m_from, m_model, m_folder;
  std::vector<std::string> m_names;
  bool m_replace = false, m_json = false;
};

}  // namespace

std::unique_ptr<Command> makeSchemesCommand() {
  return std::make_unique<SchemesCommand>();
}

}  // namespace headlight::cli
