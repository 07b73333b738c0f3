// SPDX-License-Identifier: GPL-3.0-or-later

// schemes: mask schemes that are kept by name, for --masks and for the window.

#include <algorithm>
#include <charconv>

#include "app/cli/options/ModelOptions.h"
#include "app/cli/options/ResultFlags.h"
#include "app/cli/terminal/Command.h"
#include "app/cli/terminal/ExitCodes.h"
#include "core/base/Translation.h"
#include "core/base/files/Files.h"
#include "core/config/MasksJson.h"
#include "core/masks/MaskEdit.h"
#include "core/models/Registry.h"
#include "core/workbench/schemes/MaskPng.h"
#include "core/workbench/schemes/SchemeLibrary.h"

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

constexpr std::uintmax_t kMaxDrawingBytes = 64u << 20;

/// "3.0,3.1": layers and heads.
std::vector<HeadPlace> placesFromText(const std::string& text) {
  const auto refuse = [&] {
    refuseUsage("--at " + text, tr("must be LAYER.HEAD, or several with commas, such as 3.0,3.1"));
  };
  std::vector<HeadPlace> places;
  for (const char *at = text.data(), *end = at + text.size(); at != end;) {
    HeadPlace place;
    const auto layer = std::from_chars(at, end, place.layer);
    if (layer.ec != std::errc() || layer.ptr == end || *layer.ptr != '.') refuse();
    const auto head = std::from_chars(layer.ptr + 1, end, place.head);
    if (head.ec != std::errc() || place.layer < 0 || place.head < 0) refuse();
    places.push_back(place);
    at = head.ptr;
    if (at != end && (*at != ',' || ++at == end)) refuse();
  }
  if (places.empty()) refuseUsage("--at", tr("is missing; give LAYER.HEAD, such as 3.0"));
  return places;
}

class SchemesCommand : public Command {
 public:
  CLI::App* declare(CLI::App& app) override {
    auto* command = app.add_subcommand(
        "schemes", tr("Manage saved mask schemes: list, save, rename, remove, show, diff; draw "
                      "masks as PNG images"));
    command
        ->add_option(
            "action", m_action,
            tr("list; save NAME --from WHAT; rename NAME NEW; remove NAME...; show NAME; "
               "diff BEFORE AFTER; draw NAME --png FILE --at HEADS: save masks from a PNG; "
               "image NAME --png FILE --at HEAD: write a head's mask as a PNG"))
        ->type_name("ACTION");
    command
        ->add_option("names", m_names,
                     tr("Scheme names; show and diff also take any value of --masks"))
        ->type_name("NAME");
    command
        ->add_option(
            "--from", m_from,
            tr("With save and draw: a mask file, a config, a checkpoint or a run folder; or any "
               "value of --masks"))
        ->type_name("FILE|RUN|NAME");
    command
        ->add_option("--png", m_png,
                     tr("With draw: an image to read; with image: one to write. White selects. "
                        "Its size says what it is: pairs (N x N for N patches, a row for each "
                        "query), keys (the layer's rows x columns, the same for every query), or "
                        "offsets (odd sides, the query in the middle)"))
        ->type_name("FILE");
    command
        ->add_option("--at", m_at,
                     tr("With draw and image: heads as LAYER.HEAD, with commas between"))
        ->type_name("HEADS");
    command
        ->add_option("--as", m_form,
                     tr("With draw: offsets, keys or pairs; default auto: by the image's size"))
        ->type_name("FORM");
    command->add_option("--kind", m_kind, tr("With draw: hard, soft or strict; default hard"))
        ->type_name("KIND");
    command->add_flag("--replace", m_replace,
                      tr("With save and draw: replace an existing scheme of this name"));
    command
        ->add_option("-m,--model", m_model,
                     tr("Model whose layers and heads the scheme fits; needed for presets"))
        ->type_name("NAME|FILE");
    command
        ->add_option("--folder", m_folder,
                     tr("Folder of the schemes; default: \"headlight/schemes\" in your data folder "
                        "($XDG_DATA_HOME, or ~/.local/share), shared with the window"))
        ->type_name("FOLDER");
    declareJson(*command, m_json);
    return command;
  }

  int run(Terminal& terminal, std::stop_token) override {
    const SchemeLibrary shelf(m_folder.empty() ? SchemeLibrary::defaultFolder()
                                               : std::filesystem::path(m_folder));
    if (m_from.empty() ? m_action == "save" : m_action != "save" && m_action != "draw")
      refuseUsage(m_action == "save" ? "--from" : m_action,
                  m_action == "save" ? tr("is missing; give the scheme to save")
                                     : tr("does not take --from; only save and draw do"));
    if (m_png.empty() ? m_action == "draw" || m_action == "image"
                      : m_action != "draw" && m_action != "image")
      refuseUsage("--png", m_png.empty() ? tr("is missing; give an image")
                                         : tr("belongs to the actions draw and image"));
    if (m_action == "list") return list(shelf, terminal);
    if (m_action == "save") return save(shelf, terminal);
    if (m_action == "rename") return rename(shelf, terminal);
    if (m_action == "remove") return remove(shelf, terminal);
    if (m_action == "show") return show(shelf, terminal);
    if (m_action == "diff") return diff(shelf, terminal);
    if (m_action == "draw") return draw(shelf, terminal);
    if (m_action == "image") return writeImage(shelf, terminal);
    refuseUsage("schemes",
                tr("needs one of list, save, rename, remove, show, diff, draw and image"));
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
        line.append(" ").append(shortText(mask));
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
                       std::to_string(change.head) + "  " + shortText(change.before) + " -> " +
                       shortText(change.after));
    }
    if (terminal.json())
      terminal.printJson(Json{{"before", m_names[0]}, {"after", m_names[1]}, {"cells", cells}});
    else
      terminal.note(std::to_string(edit.changes.size()) + tr(" heads differ"));
    return kExitOk;
  }

  /// The layers of --at have one grid: that of the first.
  int draw(const SchemeLibrary& shelf, Terminal& terminal) const {
    requireNames(1, tr("needs one NAME"));
    const ModelConfig model = modelNamed();
    const auto places = placesFromText(m_at);
    const auto kind = headMaskFromText(m_kind);
    if (!kind || (kind->kind != MaskKind::Hard && kind->kind != MaskKind::Soft &&
                  kind->kind != MaskKind::Strict))
      refuseUsage("--kind " + m_kind, tr("must be hard, soft or strict"));
    HeadMask mask = *kind;
    mask.region = {.kind = RegionKind::Drawn, .global = kind->region.global};
    mask.region.drawn = std::make_shared<const DrawnMask>(
        valueOrThrow(drawnFromPng(valueOrThrow(readFile(m_png, kMaxDrawingBytes)), m_png,
                                  maskGrid(model, places.front().layer), m_form)));
    MaskScheme scheme =
        valueOrThrow(masksNamed(m_from.empty() ? "none" : m_from, makeMaskShape(model), shelf));
    valueOrThrow(
        applyMaskEdit(scheme, valueOrThrow(makeMaskEdit(scheme, places, mask, m_names[0]))));
    scheme.setName(m_names[0]);
    const MaskConfig masks = describeMasks(scheme);
    using Existing = SchemeLibrary::Existing;
    valueOrThrow(shelf.save(m_names[0], masks, m_replace ? Existing::Replace : Existing::Refuse));
    report(m_names[0], "saved: " + schemeText(masks), terminal);
    return kExitOk;
  }

  int writeImage(const SchemeLibrary& shelf, Terminal& terminal) const {
    requireNames(1, tr("needs one NAME"));
    const ModelConfig model = modelNamed();
    const auto places = placesFromText(m_at);
    if (places.size() != 1) refuseUsage("--at " + m_at, tr("must be one head for an image"));
    const auto [layer, head] = places.front();
    const MaskScheme scheme = valueOrThrow(masksNamed(m_names[0], makeMaskShape(model), shelf));
    if (!scheme.contains(layer, head)) refuseUsage("--at " + m_at, tr("is no head of this model"));
    const DrawnMask drawn = valueOrThrow(drawnFromMask(scheme.at(layer, head), model, layer, head));
    valueOrThrow(writeFileAtomically(m_png, valueOrThrow(drawnToPng(drawn))));
    report(m_names[0],
           tr("written to ") + m_png + ": " + std::to_string(drawn.rows) + " x " +
               std::to_string(drawn.cols) + " " +
               drawnFormNames()[static_cast<std::size_t>(drawn.form)],
           terminal);
    return kExitOk;
  }

  ModelConfig modelNamed() const {
    if (m_model.empty())
      refuseUsage("--model", tr("is needed to know how many patches a layer has"));
    return experimentByName(m_model).model;
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

  std::string m_action, m_from, m_model, m_folder, m_png, m_at, m_form = "auto", m_kind = "hard";
  std::vector<std::string> m_names;
  bool m_replace = false, m_json = false;
};

}  // namespace

std::unique_ptr<Command> makeSchemesCommand() {
  return std::make_unique<SchemesCommand>();
}

}  // namespace headlight::cli
