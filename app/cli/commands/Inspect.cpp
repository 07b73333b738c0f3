// SPDX-License-Identifier: GPL-3.0-or-later

// inspect: what is inside a checkpoint, and what of it fits a model.

#include "core/workbench/loading/Inspect.h"
#include "app/cli/options/ModelOptions.h"
#include "app/cli/terminal/Command.h"
#include "app/cli/terminal/ExitCodes.h"
#include "core/base/Text.h"
#include "core/workbench/loading/SoftAlphas.h"

namespace headlight::cli {
namespace {

constexpr std::size_t kShownMetadata = 100;

/// Not too long: metadata may hold a whole config.
std::string shortened(const std::string& text) {
  if (text.size() <= kShownMetadata) return text;
  return text.substr(0, kShownMetadata) + "... (" + std::to_string(text.size()) +
         " bytes; --json shows them)";
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
  terminal.print("against " + model + ": " + report.summary());
  for (const auto& name : report.missing)
    terminal.print("  missing     " + name);
  for (const auto& name : report.unexpected)
    terminal.print("  unexpected  " + name);
  for (const auto& item : report.resized)
    terminal.print("  resized     " + item.name + " " + shapeText(item.from) + " to " +
                   shapeText(item.to) + ", " + item.how);
  for (const auto& item : report.taken)
    terminal.print("  taken       " + item.name + " from " + item.from + ", " + item.part);
  for (const auto& item : report.mismatched)
    terminal.print("  mismatched  " + item.name + " " + shapeText(item.file) + " in the file, " +
                   shapeText(item.model) + " in the model");
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
          {"dictionary", contents.source.empty() ? Json(nullptr) : Json(contents.source)},
          {"elements", contents.elements},
          {"bytes", contents.bytes},
          {"metadata", contents.metadata},
          {"notes", contents.notes},
          {"tensors", tensors}};
}

void printContents(const std::string& path, const CheckpointContents& contents,
                   Terminal& terminal) {
  terminal.print(path + ": " + contents.format + ", " + std::to_string(contents.tensors.size()) +
                 " tensors, " + std::to_string(contents.elements) + " elements, " +
                 std::to_string(contents.bytes) + " bytes");
  if (!contents.source.empty()) terminal.print("dictionary taken: " + contents.source);
  for (const auto& note : contents.notes)
    terminal.print("note: " + note);
  for (const auto& [key, value] : contents.metadata)
    terminal.print("metadata " + key + ": " + shortened(value));
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
    auto* command = app.add_subcommand("inspect", "What is inside a checkpoint");
    command->add_option("file", m_file, "A .safetensors or .pth file")->type_name("FILE");
    command
        ->add_option("--against,-m,--model", m_model,
                     "Also say what of it fits this model: a published name, a config, or a "
                     "checkpoint that carries its Experiment")
        ->type_name("NAME|FILE");
    command->add_flag("--json", m_json, "The result as one JSON object");
    return command;
  }

  int run(Terminal& terminal, std::stop_token) override {
    if (m_file.empty()) refuseUsage("inspect", "needs a file; name one");
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
  /// Of a file that says what its model is and has soft masks; else nothing.
  std::optional<SoftAlphas> learnedAlphas(const CheckpointContents& contents,
                                          Terminal& terminal) const {
    const bool soft =
        std::any_of(contents.tensors.begin(), contents.tensors.end(),
                    [](const auto& t) { return t.name.ends_with("soft_mask_logit"); });
    if (!soft || !contents.metadata.contains("experiment")) return std::nullopt;
    auto alphas = softAlphasOf(m_file);
    if (alphas) return *alphas;
    terminal.warning("what its soft masks have learned cannot be told: " + alphas.error().text());
    return std::nullopt;
  }

  std::string m_file, m_model;
  bool m_json = false;
};

}  // namespace

std::unique_ptr<Command> makeInspectCommand() {
  return std::make_unique<InspectCommand>();
}

}  // namespace headlight::cli
