// SPDX-License-Identifier: GPL-3.0-or-later

// inspect: what an input is; what is inside a checkpoint, and what of it fits a model.

#include "core/workbench/loading/Inspect.h"
#include "app/cli/options/ModelOptions.h"
#include "app/cli/options/ResultFlags.h"
#include "app/cli/options/WeightsOptions.h"
#include "app/cli/reports/InputReport.h"
#include "app/cli/terminal/Command.h"
#include "app/cli/terminal/ExitCodes.h"
#include "core/base/Text.h"
#include "core/base/Translation.h"
#include "core/workbench/hub/HubFolder.h"
#include "core/workbench/loading/Input.h"
#include "core/workbench/loading/SoftAlphas.h"

namespace headlight::cli {
namespace {

constexpr std::size_t kShownMetadata = 100;

/// Not too long: metadata may hold a whole config.
std::string shortened(const std::string& text) {
  if (text.size() <= kShownMetadata) return text;
  return text.substr(0, kShownMetadata) + "... (" + std::to_string(text.size()) +
         tr(" bytes; --json shows them)");
}

Json reportJson(const std::string& model, const LoadReport& report) {
  Json resized = Json::array(), mismatched = Json::array();
  for (const auto& item : report.resized)
    resized.push_back(
        {{"name", item.name}, {"from", item.from}, {"to", item.to}, {"how", item.how}});
  Json taken = Json::array();
  for (const auto& item : report.taken)
    taken.push_back({{"name", item.name}, {"from", item.from}, {"part", item.part}});
  for (const auto& item : report.mismatched)
    mismatched.push_back({{"name", item.name}, {"file", item.file}, {"model", item.model}});
  return {{"model", model},
          {"complete", report.complete()},
          {"summary", report.summary()},
          {"matched", report.matched},
          {"missing", report.missing},
          {"unexpected", report.unexpected},
          {"resized", resized},
          {"taken", taken},
          {"mismatched", mismatched}};
}

void printReport(const std::string& model, const LoadReport& report, Terminal& terminal) {
  terminal.print(tr("against ") + model + ": " + report.summary());
  for (const auto& name : report.missing)
    terminal.print("  missing     " + name);
  for (const auto& name : report.unexpected)
    terminal.print("  unexpected  " + name);
  for (const auto& item : report.resized)
    terminal.print("  resized     " + item.name + " " + shapeText(item.from) + " to " +
                   shapeText(item.to) + ", " + item.how);
  for (const auto& item : report.taken)
    terminal.print("  taken       " + item.name + tr(" from ") + item.from + ", " + item.part);
  for (const auto& item : report.mismatched)
    terminal.print("  mismatched  " + item.name + " " + shapeText(item.file) +
                   tr(" in the file, ") + shapeText(item.model) + tr(" in the model"));
}

Json choicesJson(const std::vector<LoadReport::Choice>& choices) {
  Json json = Json::array();
  for (const auto& choice : choices)
    json.push_back({{"name", choice.name}, {"tensors", choice.tensors}, {"taken", choice.taken}});
  return json;
}

Json textSideJson(const TextSide& side) {
  if (!side.hasTower()) return nullptr;
  return {
      {"kind", side.kind}, {"tokenizer", side.tokenizer}, {"takes_prompts", side.takesPrompts()}};
}

Json contentsJson(const std::string& path, const CheckpointContents& contents) {
  Json tensors = Json::array();
  for (const auto& tensor : contents.tensors)
    tensors.push_back({{"name", tensor.name},
                       {"dtype", tensor.dtype},
                       {"shape", tensor.shape},
                       {"bytes", tensor.bytes}});
  return {{"file", path},
          {"format", contents.format},
          {"prefix", contents.prefix},
          {"models", choicesJson(contents.choices)},
          {"dictionary", contents.source.empty() ? Json(nullptr) : Json(contents.source)},
          {"elements", contents.elements},
          {"bytes", contents.bytes},
          {"metadata", contents.metadata},
          {"notes", contents.notes},
          {"text_tower", textSideJson(contents.textSide)},
          {"tensors", tensors}};
}

void printContents(const std::string& path, const CheckpointContents& contents,
                   Terminal& terminal) {
  terminal.print(path + ": " + contents.format + ", " + std::to_string(contents.tensors.size()) +
                 tr(" tensors, ") + std::to_string(contents.elements) + tr(" elements, ") +
                 std::to_string(contents.bytes) + tr(" bytes"));
  if (!contents.source.empty()) terminal.print(tr("dictionary used: ") + contents.source);
  if (!contents.prefix.empty()) terminal.print(tr("prefix removed: ") + contents.prefix);
  for (const auto& choice : contents.choices)
    terminal.print(
        "  --take " + choice.name + "  " +
        countText(static_cast<std::int64_t>(choice.tensors), tr("tensor"), tr("tensors")) +
        (choice.taken ? tr(", taken") : std::string()));
  for (const auto& note : contents.notes)
    terminal.print("note: " + note);
  if (contents.textSide.hasTower()) terminal.print(textSideText(contents.textSide));
  for (const auto& [key, value] : contents.metadata)
    terminal.print(tr("metadata ") + key + ": " + shortened(value));
  std::size_t width = 0;
  for (const auto& tensor : contents.tensors)
    width = std::max(width, tensor.name.size());
  for (const auto& tensor : contents.tensors)
    terminal.print("  " + tensor.name + std::string(width - tensor.name.size() + 2, ' ') +
                   tensor.dtype +
                   std::string(tensor.dtype.size() < 6 ? 6 - tensor.dtype.size() : 1, ' ') +
                   shapeText(tensor.shape));
}

class InspectCommand : public Command {
 public:
  CLI::App* declare(CLI::App& app) override {
    auto* command = app.add_subcommand(
        "inspect", tr("Say what a file or folder is, and show the contents of a checkpoint"));
    command
        ->add_option(
            "file", m_file,
            tr("A .safetensors, .pth, .ckpt or .bin file, an index of shards, or a Hugging Face "
               "hub folder; of an image, a dataset, a config or another folder what it is"))
        ->type_name("FILE|FOLDER");
    command
        ->add_option("--against,-m,--model", m_model,
                     tr("Also show which tensors fit this model: a published name, a config, or a "
                        "checkpoint that contains its Experiment"))
        ->type_name("NAME|FILE");
    addTakeOption(*command, m_take);
    declareJson(*command, m_json);
    return command;
  }

  int run(Terminal& terminal, std::stop_token stop) override {
    if (m_file.empty()) refuseUsage("inspect", tr("needs a file or a folder"));
    const Input input = identifyOrGuess(m_file);
    if (m_model.empty() && isNoCheckpoint(input)) {
      printInput(input, terminal, stop);
      return kExitOk;
    }
    m_file = takenFrom(weightsNamedBy(input, m_file), m_take);
    const CheckpointContents contents = valueOrThrow(inspectCheckpoint(m_file));
    std::optional<LoadReport> report;
    if (!m_model.empty()) {
      auto session = valueOrThrow(InferenceSession::create(experimentByName(m_model)));
      report = valueOrThrow(session->previewWeights(m_file));
    }
    const std::optional<SoftAlphas> alphas = learnedAlphas(contents, terminal);
    if (terminal.json()) {
      Json object = contentsJson(m_file, contents);
      object["alpha"] = alphas ? Json(*alphas) : Json(nullptr);  // NaN (not soft) becomes null
      if (report) object["against"] = reportJson(m_model, *report);
      terminal.printJson(object);
      return kExitOk;
    }
    printContents(m_file, contents, terminal);
    if (alphas) printAlphas(*alphas, "", terminal);
    if (report) printReport(m_model, *report, terminal);
    return kExitOk;
  }

 private:
  /// A model of the hub stands for its file of weights; each of several is inspected by its name.
  static std::string weightsNamedBy(const Input& input, const std::string& file) {
    if (input.kind != InputKind::HubFolder) return file;
    return valueOrThrow(findHubFolder(input.path)).weightsPath().string();
  }

  /// For a file that identifies its model and has soft masks; else nothing.
  std::optional<SoftAlphas> learnedAlphas(const CheckpointContents& contents,
                                          Terminal& terminal) const {
    const bool soft =
        std::any_of(contents.tensors.begin(), contents.tensors.end(),
                    [](const auto& t) { return t.name.ends_with("soft_mask_logit"); });
    if (!soft || !contents.metadata.contains("experiment")) return std::nullopt;
    auto alphas = readSoftAlphas(m_file);
    if (alphas) return *alphas;
    terminal.warning(tr("the learned alphas of its soft masks cannot be shown: ") +
                     alphas.error().text());
    return std::nullopt;
  }

  std::string m_file, m_model, m_take;
  bool m_json = false;
};

}  // namespace

std::unique_ptr<Command> makeInspectCommand() {
  return std::make_unique<InspectCommand>();
}

}  // namespace headlight::cli
