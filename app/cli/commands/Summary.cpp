// summary: parameters and multiply-accumulates of models, counted from their configs, and the
// kernels that their attention runs by.

#include <cstdio>

#include "app/cli/Command.h"
#include "app/cli/ExitCodes.h"
#include "app/cli/ModelOptions.h"
#include "app/cli/VariantList.h"
#include "core/workbench/Catalogue.h"
#include "core/workbench/Kernels.h"

namespace headlight::cli {
namespace {

struct Entry {
  std::string name;
  Experiment experiment;
  const PublishedModel* published = nullptr;

  const ModelConfig& config() const { return experiment.model; }
};

/// "5,717,416".
std::string grouped(std::int64_t number) {
  std::string digits = std::to_string(number);
  for (int i = static_cast<int>(digits.size()) - 3; i > 0; i -= 3)
    digits.insert(i, ",");
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

/// "2+2+6+2".
template <typename Count>
std::string perStage(const ModelConfig& config, Count count) {
  std::string text;
  for (int stage = 0; stage < config.stages(); ++stage)
    text += (stage > 0 ? "+" : "") + std::to_string(count(stage));
  return text;
}

std::string shapeText(const ModelConfig& config) {
  const auto text = [](int value) { return std::to_string(value); };
  std::string shape =
      config.backbone + ", " + config.mechanism + " attention, " +
      perStage(config, [&](int s) { return config.stageDepth(s); }) +
      (config.classDepth > 0 ? " and " + text(config.classDepth) + " class-attention" : "") +
      " layers x " + perStage(config, [&](int s) { return config.stageHeadCount(s); }) +
      " heads, width " + perStage(config, [&](int s) { return config.stageWidth(s); });
  return shape + ", " + text(config.imageWidthPixels()) + " x " + text(config.imageHeightPixels()) +
         " pixels in patches of " + text(config.patchSize);
}

Json layersJson(const ModelCost& cost) {
  Json layers = Json::array();
  for (const auto& layer : cost.layers)
    layers.push_back(
        {{"name", layer.name}, {"parameters", layer.parameters}, {"macs", layer.macs}});
  return layers;
}

void printEntry(const Entry& entry, const ModelCost& cost, const std::vector<std::string>& kernels,
                bool layers, Terminal& terminal) {
  const auto published = [](double value, const char* unit) {
    return value > 0 ? "   published " + scaled(value, unit) : std::string();
  };
  const PublishedModel none;
  const PublishedModel& known = entry.published ? *entry.published : none;
  terminal.print(entry.name);
  if (!known.description.empty()) terminal.print("  " + known.description);
  terminal.print("  " + shapeText(entry.config()));
  terminal.print("  parameters  " + grouped(cost.parameters) + "  (" +
                 scaled(static_cast<double>(cost.parameters) / 1e6, "M") + ")" +
                 published(known.publishedParametersM, "M"));
  terminal.print("  MACs        " + grouped(cost.macs) + "  (" +
                 scaled(static_cast<double>(cost.macs) / 1e9, "G") + ")" +
                 published(known.publishedMacsG, "G"));
  if (!kernels.empty()) terminal.print("  kernels     " + kernelSummary(kernels));
  if (!known.source.empty()) terminal.print("  source      " + known.source);
  if (!known.note.empty()) terminal.print("  note        " + known.note);
  if (!layers) return;
  for (const auto& layer : cost.layers) {
    char line[160];
    std::snprintf(line, sizeof line, "    %-32s %16s %20s", layer.name.c_str(),
                  grouped(layer.parameters).c_str(), grouped(layer.macs).c_str());
    terminal.print(line);
  }
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
    command->add_flag("--layers", m_layers, "Every layer as well");
    command->add_flag("--kernels", m_kernels,
                      "Which kernels the attention of every layer runs by here: builds the model "
                      "and shows it a black picture");
    command->add_flag("--json", m_json,
                      "A list of objects: name, parameters, macs, published "
                      "{parameters_m, macs_g, source} or null, and a note where a published "
                      "figure could not be met; with --kernels those of every layer");
    return command;
  }

  int run(Terminal& terminal, std::stop_token) override {
    if (m_list) return listNames(terminal);
    if (m_mechanisms) listVariants(modelCatalogue().mechanisms, "attention", terminal);
    if (m_backbones) listVariants(modelCatalogue().backbones, "layout", terminal);
    if (m_mechanisms || m_backbones) return kExitOk;
    Json results = Json::array();
    for (const auto& entry : entries()) {
      const ModelCost cost =
          entry.published ? publishedCost(*entry.published) : modelCost(entry.config());
      std::vector<std::string> kernels;
      if (m_kernels) kernels = valueOrThrow(kernelsOf(entry.experiment));
      if (!terminal.json()) {
        printEntry(entry, cost, kernels, m_layers, terminal);
        continue;
      }
      Json object = {{"name", entry.name},
                     {"parameters", cost.parameters},
                     {"macs", cost.macs},
                     {"published", publishedJson(entry.published)}};
      if (entry.published && !entry.published->note.empty()) object["note"] = entry.published->note;
      if (m_layers) object["layers"] = layersJson(cost);
      if (m_kernels) object["kernels"] = kernels;
      results.push_back(object);
    }
    if (terminal.json()) terminal.printJson(results);
    return kExitOk;
  }

 private:
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
      found.push_back({experiment.model.name, experiment, published});
    }
    if (m_all)
      for (const auto& model : publishedModels())
        found.push_back({model.name, experimentByName(model.name), &model});
    if (found.empty()) refuseUsage("summary", "needs a model's name or a config, --all or --list");
    return found;
  }

  std::vector<std::string> m_names;
  bool m_all = false, m_list = false, m_mechanisms = false, m_backbones = false, m_layers = false,
       m_kernels = false, m_json = false;
};

}  // namespace

std::unique_ptr<Command> makeSummaryCommand() {
  return std::make_unique<SummaryCommand>();
}

}  // namespace headlight::cli
