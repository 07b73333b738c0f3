// SPDX-License-Identifier: GPL-3.0-or-later

// sequence summary: parameters and multiply-accumulates of a sequence model, from its config.

#include <cstdio>
#include <filesystem>

#include "app/cli/options/ParameterFlags.h"
#include "app/cli/terminal/ExitCodes.h"
#include "app/cli/terminal/SequenceCommands.h"
#include "core/base/Translation.h"
#include "core/base/files/Files.h"
#include "core/config/ConfigText.h"
#include "core/workbench/loading/Input.h"
#include "core/workbench/sequences/SequenceTraining.h"

namespace headlight::cli {
namespace {

std::string shapeSentence(const SequenceExperiment& experiment) {
  const SequenceModelConfig& model = experiment.model;
  std::string text = model.mechanism + ", " + std::to_string(model.depth) + tr(" blocks of ") +
                     std::to_string(model.width) + tr(" features");
  if (model.hasHeads()) text += ", " + std::to_string(model.heads) + tr(" heads");
  return text + ", " + std::to_string(experiment.length()) + tr(" bytes per sequence");
}

Json costLayersJson(const ModelCost& cost) {
  Json layers = Json::array();
  for (const LayerCost& layer : cost.layers)
    layers.push_back(
        {{"name", layer.name}, {"parameters", layer.parameters}, {"macs", layer.macs}});
  return layers;
}

void printSequenceCost(const ModelCost& cost, bool layers, Terminal& terminal) {
  char line[200];
  std::snprintf(line, sizeof line, "  parameters  %lld  (%.4g M)",
                static_cast<long long>(cost.parameters),
                static_cast<double>(cost.parameters) / 1e6);
  terminal.print(line);
  std::snprintf(line, sizeof line, tr("  MACs        %lld  (%.4g G) per sequence"),
                static_cast<long long>(cost.macs), static_cast<double>(cost.macs) / 1e9);
  terminal.print(line);
  if (!layers) return;
  for (const LayerCost& layer : cost.layers) {
    std::snprintf(line, sizeof line, "    %-32s %14lld %18lld", layer.name.c_str(),
                  static_cast<long long>(layer.parameters), static_cast<long long>(layer.macs));
    terminal.print(line);
  }
}

class SequenceSummaryCommand : public Command {
 public:
  CLI::App* declare(CLI::App& app) override {
    auto* command = app.add_subcommand(
        "summary", tr("Count the parameters and multiply-accumulates of a sequence model"));
    command
        ->add_option("model", m_model,
                     tr("A config, a run folder or a weights file; default: only the flags"))
        ->type_name("CONFIG|RUN");
    command->add_flag("--layers", m_layers, tr("Also list every layer"));
    command->add_flag(
        "--json", m_json,
        tr("Print one JSON object: name, mechanism, length, parameters, macs (per sequence)"));
    m_flags.declare(*command, {"data", "model"});
    return command;
  }

  int run(Terminal& terminal, std::stop_token) override {
    const SequenceExperiment experiment = describe();
    const ModelCost cost = sequenceCost(experiment);
    if (terminal.json()) {
      Json json = {{"name", experiment.name},
                   {"mechanism", experiment.model.mechanism},
                   {"length", experiment.length()},
                   {"parameters", cost.parameters},
                   {"macs", cost.macs}};
      if (m_layers) json["layers"] = costLayersJson(cost);
      terminal.printJson(json);
      return kExitOk;
    }
    terminal.print(experiment.name);
    terminal.print("  " + shapeSentence(experiment));
    printSequenceCost(cost, m_layers, terminal);
    return kExitOk;
  }

 private:
  SequenceExperiment describe() const {
    if (m_model.empty() && m_flags.empty())
      refuseUsage("sequence summary", tr("needs a CONFIG, a RUN or model flags"));
    Json json = Json::object();
    if (!m_model.empty()) json = given();
    m_flags.apply(json);
    return valueOrThrow(
        sequenceFromText(jsonText(json), m_model.empty() ? "command line" : m_model));
  }

  Json given() const {
    if (identifyOrGuess(m_model).isJson())
      return sequenceToJson(valueOrThrow(readSequenceExperiment(m_model)));
    return sequenceToJson(valueOrThrow(loadSequenceExperiment(m_model)));
  }

  std::string m_model;
  bool m_layers = false, m_json = false;
  ParameterFlags m_flags{sequenceSections(), overrideSequenceParameter};
};

}  // namespace

std::unique_ptr<Command> makeSequenceSummaryCommand() {
  return std::make_unique<SequenceSummaryCommand>();
}

}  // namespace headlight::cli
