// SPDX-License-Identifier: GPL-3.0-or-later

// summary: parameters and multiply-accumulates of models, counted from their configs, and the
// kernels that their attention runs by.

#include <cstdio>
#include <filesystem>

#include "app/cli/options/ModelOptions.h"
#include "app/cli/options/RecipeList.h"
#include "app/cli/options/WeightsOptions.h"
#include "app/cli/reports/FamilyList.h"
#include "app/cli/reports/VariantList.h"
#include "app/cli/terminal/Command.h"
#include "app/cli/terminal/ExitCodes.h"
#include "app/cli/terminal/Numbers.h"
#include "core/base/Translation.h"
#include "core/base/files/Files.h"
#include "core/config/ModelText.h"
#include "core/models/Registry.h"
#include "core/workbench/loading/Input.h"
#include "core/workbench/loading/ModelInfo.h"
#include "core/workbench/loading/Resolution.h"
#include "core/workbench/loading/SoftAlphas.h"
#include "core/workbench/loading/WeightsPlace.h"
#include "core/workbench/session/Kernels.h"

namespace headlight::cli {
namespace {

struct Entry {
  std::string name;
  Experiment experiment;
  const PublishedModel* published = nullptr;
  std::filesystem::path checkpoint = {};  ///< that it was named by

  const ModelConfig& config() const { return experiment.model; }
};

/// "5,717,416".
std::string grouped(std::int64_t number) {
  std::string digits = std::to_string(number);
  for (int i = static_cast<int>(digits.size()) - 3; i > 0; i -= 3)
    digits.insert(i, 1, ',');
  return digits;
}

std::string scaled(double value, const char* unit) {
  char text[64];
  std::snprintf(text, sizeof text, "%.4g %s", value, unit);
  return text;
}

Json publishedJson(const PublishedModel* model) {
  if (!model || (model->publishedParametersM <= 0 && model->publishedMacsG <= 0)) return nullptr;
  const auto number = [](double value) { return value > 0 ? Json(value) : Json(nullptr); };
  return {{"parameters_m", number(model->publishedParametersM)},
          {"macs_g", number(model->publishedMacsG)},
          {"source", model->source}};
}

std::string modelShapeText(const ModelConfig& config) {
  return config.backbone + ", " + config.mechanism + tr(" attention, ") + blocksText(config) +
         ", " + std::to_string(config.imageWidthPixels()) + " x " +
         std::to_string(config.imageHeightPixels()) + tr(" pixels in patches of ") +
         std::to_string(config.patchSize);
}

Json layersJson(const ModelCost& cost) {
  Json layers = Json::array();
  for (const auto& layer : cost.layers)
    layers.push_back(
        {{"name", layer.name}, {"parameters", layer.parameters}, {"macs", layer.macs}});
  return layers;
}

/// Facts about an entry that are not in its config.
struct Reported {
  ModelCost cost, unmasked;          ///< with its masks, and without
  std::vector<std::string> kernels;  ///< empty: not asked for
  SoftAlphas alphas;                 ///< empty: no checkpoint with soft masks
};

void printCost(const PublishedModel& known, const Reported& reported, Terminal& terminal) {
  const auto published = [](double value, const char* unit) {
    return value > 0 ? "   published " + scaled(value, unit) : std::string();
  };
  const auto macs = [](const ModelCost& cost) {
    return grouped(cost.macs) + "  (" + scaled(static_cast<double>(cost.macs) / 1e9, "G") + ")";
  };
  const std::string said = published(known.publishedMacsG, "G");
  const bool masked = reported.cost.macs != reported.unmasked.macs;
  terminal.print("  parameters  " + grouped(reported.cost.parameters) + "  (" +
                 scaled(static_cast<double>(reported.cost.parameters) / 1e6, "M") + ")" +
                 published(known.publishedParametersM, "M"));
  terminal.print("  MACs        " + macs(reported.cost) +
                 (masked && !known.maskedMacs ? "" : said));
  if (masked)
    terminal.print("  unmasked    " + macs(reported.unmasked) + (known.maskedMacs ? "" : said));
}

void printEntry(const Entry& entry, const Reported& reported, bool layers, Terminal& terminal) {
  const PublishedModel none;
  const PublishedModel& known = entry.published ? *entry.published : none;
  terminal.print(entry.name);
  if (!known.description.empty()) terminal.print("  " + known.description);
  terminal.print("  " + modelShapeText(entry.config()));
  printCost(known, reported, terminal);
  printAlphas(reported.alphas, "  ", terminal);
  if (!reported.kernels.empty()) terminal.print("  kernels     " + kernelSummary(reported.kernels));
  if (!known.source.empty()) terminal.print("  source      " + known.source);
  if (!known.note.empty()) terminal.print("  note        " + known.note);
  for (const std::string& notice : reported.cost.notices)
    terminal.print("  notice      " + notice);
  if (!layers) return;
  for (const auto& layer : reported.cost.layers) {
    char line[160];
    std::snprintf(line, sizeof line, "    %-32s %16s %20s", layer.name.c_str(),
                  grouped(layer.parameters).c_str(), grouped(layer.macs).c_str());
    terminal.print(line);
  }
}

bool hasSoftHeads(const Experiment& experiment) {
  const MaskScheme masks =
      valueOrThrow(resolveMasks(experiment.masks, makeMaskShape(experiment.model)));
  for (int layer = 0; layer < masks.layers(); ++layer)
    for (const HeadMask& mask : masks.layer(layer))
      if (mask.kind == MaskKind::Soft) return true;
  return false;
}

class SummaryCommand : public Command {
 public:
  CLI::App* declare(CLI::App& app) override {
    auto* command = app.add_subcommand(
        "summary", tr("Count the parameters and multiply-accumulates of models"));
    command
        ->add_option("models", m_names,
                     tr("Published names, configs, or checkpoints that contain their Experiment"))
        ->type_name("NAME|FILE");
    addTakeOption(*command, m_take);
    addHeadsOption(*command, m_heads);
    command->add_flag("--all", m_all, tr("Summarize every published model"));
    command->add_flag("--list", m_list, tr("List only the names of the published models"));
    command->add_flag("--families", m_families,
                      tr("List the published models by family and paper, with parameters in "
                         "millions and multiply-accumulates in 10⁹"));
    command->add_flag("--mechanisms", m_mechanisms,
                      tr("List the attention mechanisms with their options"));
    command->add_flag("--backbones", m_backbones, tr("List the backbones with their options"));
    command->add_flag("--recipes", m_recipes,
                      tr("List the papers' training recipes: every value and its source"));
    command
        ->add_option(
            "--masks", m_masks,
            tr("Count with these masks instead of the model's own: a preset (sch2), a saved "
               "scheme, a JSON file, or random-like:NAME@SEED"))
        ->type_name("NAME|FILE");
    command
        ->add_option(
            "--image-size", m_imageSize,
            tr("Count for this image size in pixels, one number or HEIGHTxWIDTH, instead of "
               "the model's own; must be a multiple of the patch size"))
        ->type_name("SIZE");
    command->add_flag("--layers", m_layers, tr("Also list every layer"));
    command->add_flag(
        "--kernels", m_kernels,
        tr("Show the attention kernel that each layer uses on this machine; builds the "
           "model and runs it on a black image"));
    command->add_flag(
        "--json", m_json,
        tr("Print a JSON list of objects: name, parameters, macs (for published names as the paper "
           "counts, else with the masks), macs_masked, macs_unmasked, masks, alpha [layer][head] "
           "for "
           "checkpoints with soft masks, published {parameters_m, macs_g, source} or null, note if "
           "a "
           "published figure could not be met, notices about windows that do not divide the grid "
           "and "
           "about the forms of TaylorShift, and "
           "with --kernels the kernels of every layer"));
    return command;
  }

  int run(Terminal& terminal, std::stop_token) override {
    if (m_list) return listNames(terminal);
    if (m_families) listFamilies(terminal);
    if (m_recipes) listRecipes(terminal);
    if (m_mechanisms) listVariants(modelCatalog().mechanisms, "attention", terminal);
    if (m_backbones) listVariants(modelCatalog().backbones, "layout", terminal);
    if (m_families || m_recipes || m_mechanisms || m_backbones) return kExitOk;
    Json results = Json::array();
    for (const auto& entry : entries()) {
      const Reported reported = notify(entry);
      if (!terminal.json()) {
        printEntry(entry, reported, m_layers, terminal);
        continue;
      }
      const ModelCost counted = entry.published ? publishedCost(*entry.published) : reported.cost;
      Json object = {{"name", entry.name},
                     {"parameters", counted.parameters},
                     {"macs", counted.macs},
                     {"macs_masked", reported.cost.macs},
                     {"macs_unmasked", reported.unmasked.macs},
                     {"masks", entry.experiment.masks.scheme},
                     {"published", publishedJson(entry.published)}};
      if (!reported.alphas.empty())
        object["alpha"] = reported.alphas;  // NaN (not soft) becomes null
      if (entry.published && !entry.published->note.empty()) object["note"] = entry.published->note;
      if (!reported.cost.notices.empty()) object["notices"] = reported.cost.notices;
      if (m_layers) object["layers"] = layersJson(counted);
      if (m_kernels) object["kernels"] = reported.kernels;
      results.push_back(object);
    }
    if (terminal.json()) terminal.printJson(results);
    return kExitOk;
  }

 private:
  Reported notify(const Entry& entry) const {
    Reported reported{
        modelCost(entry.config(), entry.experiment.masks), modelCost(entry.config()), {}, {}};
    if (m_kernels) reported.kernels = valueOrThrow(listKernels(entry.experiment));
    if (!entry.checkpoint.empty() && hasSoftHeads(entry.experiment))
      reported.alphas = valueOrThrow(readSoftAlphas(entry.checkpoint));
    return reported;
  }

  int listNames(Terminal& terminal) {
    Json names = Json::array();
    for (const auto& model : publishedModels()) {
      names.push_back({{"name", model.name}, {"description", model.description}});
      if (!terminal.json()) terminal.print(model.name);
    }
    if (terminal.json()) terminal.printJson(names);
    return kExitOk;
  }

  Entry entryNamed(const std::string& name) const {
    const PublishedModel* published = findPublishedModel(name);
    if (published || !isThere(parseWeightsPlace(name).file)) {
      const Experiment experiment = experimentByName(name);
      return {experiment.model.name, experiment, published};
    }
    Input input = identifyOrGuess(name);
    if (input.kind == InputKind::Weights) input.path = takenFrom(name, m_take);
    const Experiment experiment = valueOrThrow(loadExperiment(input, m_heads));
    return {experiment.model.name, experiment, nullptr, input.isJson() ? "" : input.path};
  }

  std::vector<Entry> entries() const {
    std::vector<Entry> found;
    for (const auto& name : m_names)
      found.push_back(entryNamed(name));
    if (m_all)
      for (const auto& model : publishedModels())
        found.push_back({model.name, experimentByName(model.name), &model, {}});
    if (found.empty())
      refuseUsage("summary", tr("needs a model's name or a config, --all or --list"));
    if (!m_imageSize.empty()) setSize(found);
    if (m_masks.empty()) return found;
    if (m_all) refuseUsage("--masks", tr("applies only to named models, not to --all"));
    for (Entry& entry : found)
      entry.experiment.masks =
          describeMasks(masksFromOption(m_masks, makeMaskShape(entry.config())));
    return found;
  }

  /// What papers print is of their own size: nothing of it stands beside another.
  void setSize(std::vector<Entry>& entries) const {
    const auto size = parseImageSize(m_imageSize);
    if (!size)
      refuseUsage("--image-size " + m_imageSize,
                  tr("must be one or two numbers of pixels from 8 to 4096, such as 518x700"));
    for (Entry& entry : entries) {
      ModelConfig& config = entry.experiment.model;
      valueOrThrow(resolutionCost(config, size->height, size->width));
      config.imageSize = size->height;
      config.imageWidth = size->width;
      entry.published = nullptr;
    }
  }

  std::vector<std::string> m_names;
  std::string m_take;
  int m_heads = 0;
  std::string m_masks, m_imageSize;
  bool m_all = false, m_list = false, m_mechanisms = false, m_backbones = false, m_recipes = false,
       m_families = false, m_layers = false, m_kernels = false, m_json = false;
};

}  // namespace

std::unique_ptr<Command> makeSummaryCommand() {
  return std::make_unique<SummaryCommand>();
}

}  // namespace headlight::cli
