// SPDX-License-Identifier: GPL-3.0-or-later

// summary: parameters and multiply-accumulates of models, counted from their configs, and the
// kernels that their attention runs by.

#include <cstdio>
#include <filesystem>

#include "app/cli/options/ModelOptions.h"
#include "app/cli/options/RecipeList.h"
#include "app/cli/reports/VariantList.h"
#include "app/cli/terminal/Command.h"
#include "app/cli/terminal/ExitCodes.h"
#include "app/cli/terminal/Numbers.h"
#include "core/config/ModelText.h"
#include "core/models/Registry.h"
#include "core/workbench/loading/FileContent.h"
#include "core/workbench/loading/Resolution.h"
#include "core/workbench/loading/SoftAlphas.h"
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
  return config.backbone + ", " + config.mechanism + " attention, " + blocksText(config) + ", " +
         std::to_string(config.imageWidthPixels()) + " x " +
         std::to_string(config.imageHeightPixels()) + " pixels in patches of " +
         std::to_string(config.patchSize);
}

Json layersJson(const ModelCost& cost) {
  Json layers = Json::array();
  for (const auto& layer : cost.layers)
    layers.push_back(
        {{"name", layer.name}, {"parameters", layer.parameters}, {"macs", layer.macs}});
  return layers;
}

/// What is told of an entry beside what its config says.
struct Told {
  ModelCost cost, unmasked;          ///< with its masks, and without
  std::vector<std::string> kernels;  ///< empty: not asked for
  SoftAlphas alphas;                 ///< empty: no checkpoint with soft masks
};

void printCost(const PublishedModel& known, const Told& told, Terminal& terminal) {
  const auto published = [](double value, const char* unit) {
    return value > 0 ? "   published " + scaled(value, unit) : std::string();
  };
  const auto macs = [](const ModelCost& cost) {
    return grouped(cost.macs) + "  (" + scaled(static_cast<double>(cost.macs) / 1e9, "G") + ")";
  };
  const std::string said = published(known.publishedMacsG, "G");
  const bool masked = told.cost.macs != told.unmasked.macs;
  terminal.print("  parameters  " + grouped(told.cost.parameters) + "  (" +
                 scaled(static_cast<double>(told.cost.parameters) / 1e6, "M") + ")" +
                 published(known.publishedParametersM, "M"));
  terminal.print("  MACs        " + macs(told.cost) + (masked && !known.maskedMacs ? "" : said));
  if (masked)
    terminal.print("  unmasked    " + macs(told.unmasked) + (known.maskedMacs ? "" : said));
}

void printEntry(const Entry& entry, const Told& told, bool layers, Terminal& terminal) {
  const PublishedModel none;
  const PublishedModel& known = entry.published ? *entry.published : none;
  terminal.print(entry.name);
  if (!known.description.empty()) terminal.print("  " + known.description);
  terminal.print("  " + modelShapeText(entry.config()));
  printCost(known, told, terminal);
  printAlphas(told.alphas, "  ", terminal);
  if (!told.kernels.empty()) terminal.print("  kernels     " + kernelSummary(told.kernels));
  if (!known.source.empty()) terminal.print("  source      " + known.source);
  if (!known.note.empty()) terminal.print("  note        " + known.note);
  for (const std::string& notice : told.cost.notices)
    terminal.print("  notice      " + notice);
  if (!layers) return;
  for (const auto& layer : told.cost.layers) {
    char line[160];
    std::snprintf(line, sizeof line, "    %-32s %16s %20s", layer.name.c_str(),
                  grouped(layer.parameters).c_str(), grouped(layer.macs).c_str());
    terminal.print(line);
  }
}

bool hasSoftHeads(const Experiment& experiment) {
  const MaskScheme masks =
      valueOrThrow(resolveMasks(experiment.masks, maskShapeOf(experiment.model)));
  for (int layer = 0; layer < masks.layers(); ++layer)
    for (const HeadMask& mask : masks.layer(layer))
      if (mask.kind == MaskKind::Soft) return true;
  return false;
}

class SummaryCommand : public Command {
 public:
  CLI::App* declare(CLI::App& app) override {
    auto* command = app.add_subcommand("summary", "Parameters and multiply-accumulates of models");
    command
        ->add_option("models", m_names,
                     "Published names, configs, or checkpoints that carry their Experiment")
        ->type_name("NAME|FILE");
    command->add_flag("--all", m_all, "Every published model");
    command->add_flag("--list", m_list, "The names of the published models alone");
    command->add_flag("--mechanisms", m_mechanisms,
                      "The attention mechanisms and the options of each");
    command->add_flag("--backbones", m_backbones, "The backbones and the options of each");
    command->add_flag("--recipes", m_recipes,
                      "The papers' training recipes: every value and where it stands");
    command
        ->add_option("--masks", m_masks,
                     "Count with these masks instead of the model's own: a preset (sch2), a scheme "
                     "that is kept, a JSON file, or random-like:NAME@SEED")
        ->type_name("NAME|FILE");
    command
        ->add_option("--image-size", m_imageSize,
                     "Count for pictures of so many pixels, one number or HEIGHTxWIDTH, in place "
                     "of the model's own; patches must divide it")
        ->type_name("SIZE");
    command->add_flag("--layers", m_layers, "Every layer as well");
    command->add_flag("--kernels", m_kernels,
                      "Which kernels the attention of every layer runs by here: builds the model "
                      "and shows it a black picture");
    command->add_flag("--json", m_json,
                      "A list of objects: name, parameters, macs (of a published name as its paper "
                      "counts, else with the masks), macs_masked, macs_unmasked, masks, of a "
                      "checkpoint with soft masks alpha [layer][head], published "
                      "{parameters_m, macs_g, source} or null, a note where a published figure "
                      "could not be met, and notices of what windows do where they do not divide "
                      "the grid; with --kernels those of every layer");
    return command;
  }

  int run(Terminal& terminal, std::stop_token) override {
    if (m_list) return listNames(terminal);
    if (m_recipes) listRecipes(terminal);
    if (m_mechanisms) listVariants(modelCatalogue().mechanisms, "attention", terminal);
    if (m_backbones) listVariants(modelCatalogue().backbones, "layout", terminal);
    if (m_recipes || m_mechanisms || m_backbones) return kExitOk;
    Json results = Json::array();
    for (const auto& entry : entries()) {
      const Told told = tell(entry);
      if (!terminal.json()) {
        printEntry(entry, told, m_layers, terminal);
        continue;
      }
      const ModelCost counted = entry.published ? publishedCost(*entry.published) : told.cost;
      Json object = {{"name", entry.name},
                     {"parameters", counted.parameters},
                     {"macs", counted.macs},
                     {"macs_masked", told.cost.macs},
                     {"macs_unmasked", told.unmasked.macs},
                     {"masks", entry.experiment.masks.scheme},
                     {"published", publishedJson(entry.published)}};
      if (!told.alphas.empty()) object["alpha"] = told.alphas;  // NaN (not soft) becomes null
      if (entry.published && !entry.published->note.empty()) object["note"] = entry.published->note;
      if (!told.cost.notices.empty()) object["notices"] = told.cost.notices;
      if (m_layers) object["layers"] = layersJson(counted);
      if (m_kernels) object["kernels"] = told.kernels;
      results.push_back(object);
    }
    if (terminal.json()) terminal.printJson(results);
    return kExitOk;
  }

 private:
  Told tell(const Entry& entry) const {
    Told told{modelCost(entry.config(), entry.experiment.masks), modelCost(entry.config()), {}, {}};
    if (m_kernels) told.kernels = valueOrThrow(kernelsOf(entry.experiment));
    if (!entry.checkpoint.empty() && hasSoftHeads(entry.experiment))
      told.alphas = valueOrThrow(softAlphasOf(entry.checkpoint));
    return told;
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

  std::vector<Entry> entries() const {
    std::vector<Entry> found;
    for (const auto& name : m_names) {
      const PublishedModel* published = findPublishedModel(name);
      const Experiment experiment = experimentByName(name);
      const bool file = !published && !looksLikeConfig(name);
      found.push_back({experiment.model.name, experiment, published, file ? name : ""});
    }
    if (m_all)
      for (const auto& model : publishedModels())
        found.push_back({model.name, experimentByName(model.name), &model, {}});
    if (found.empty()) refuseUsage("summary", "needs a model's name or a config, --all or --list");
    if (!m_imageSize.empty()) setSize(found);
    if (m_masks.empty()) return found;
    if (m_all) refuseUsage("--masks", "is of the models that are named, not of --all");
    for (Entry& entry : found)
      entry.experiment.masks = describeMasks(masksFromOption(m_masks, maskShapeOf(entry.config())));
    return found;
  }

  /// What papers print is of their own size: nothing of it stands beside another.
  void setSize(std::vector<Entry>& entries) const {
    const auto size = pictureSize(m_imageSize);
    if (!size)
      refuseUsage("--image-size " + m_imageSize,
                  "must be a number of pixels from 8 to 4096, or two, such as 518x700");
    for (Entry& entry : entries) {
      ModelConfig& config = entry.experiment.model;
      valueOrThrow(resolutionCost(config, size->height, size->width));
      config.imageSize = size->height;
      config.imageWidth = size->width;
      entry.published = nullptr;
    }
  }

  std::vector<std::string> m_names;
  std::string m_masks, m_imageSize;
  bool m_all = false, m_list = false, m_mechanisms = false, m_backbones = false, m_recipes = false,
       m_layers = false, m_kernels = false, m_json = false;
};

}  // namespace

std::unique_ptr<Command> makeSummaryCommand() {
  return std::make_unique<SummaryCommand>();
}

}  // namespace headlight::cli
