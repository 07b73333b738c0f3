// SPDX-License-Identifier: GPL-3.0-or-later

// intervene: replaces parts of a model and watches what becomes of the prediction; which parts add
// to a logit by themselves; which heads read others; registers that take outlier tokens.

#include "app/cli/options/DataOptions.h"
#include "app/cli/options/Inputs.h"
#include "app/cli/options/ResultFlags.h"
#include "app/cli/options/TableFlags.h"
#include "app/cli/reports/InterventionText.h"
#include "app/cli/terminal/Command.h"
#include "app/cli/terminal/ExitCodes.h"
#include "app/cli/terminal/ProgressBar.h"
#include "core/base/Translation.h"
#include "core/base/files/Files.h"
#include "core/workbench/attribution/Explanations.h"
#include "core/workbench/interventions/InterventionFigure.h"
#include "core/workbench/interventions/OutlierTokens.h"
#include "core/workbench/interventions/Registers.h"
#include "core/workbench/loading/WeightsName.h"

namespace headlight::cli {
namespace {

CompositionInput compositionInputFrom(const std::string& name) {
  if (name == "q") return CompositionInput::Query;
  return name == "k" ? CompositionInput::Key : CompositionInput::Value;
}

class InterveneCommand : public Command {
 public:
  CLI::App* declare(CLI::App& app) override {
    auto* command = m_command = app.add_subcommand(
        "intervene", tr("Replace parts of a model (ablation, activation patching) and measure what "
                        "this does to the prediction"));
    command->add_option("image", m_image, tr("Image to look at"))->type_name("FILE");
    command
        ->add_option("--other", m_other,
                     tr("Other image, whose activations are put in place (--replace image)"))
        ->type_name("FILE");
    command
        ->add_option("--part", m_partTexts,
                     tr("Replace this part instead of every part by itself: SITE:LAYER, with .HEAD "
                        "or @TOKEN behind it for one head or token, such as heads:3.1 or mlp:4@0; "
                        "give it several times to replace several at once"))
        ->type_name("PART")
        ->allow_extra_args(false)
        ->take_all();
    command->add_flag("--attribution", m_attribution,
                      tr("Instead: direct logit attribution, what each head and MLP adds to the "
                         "logit by itself"));
    command
        ->add_option("--composition", m_composition,
                     tr("Instead: composition scores, how strongly heads read what earlier heads "
                        "write, by queries (q), keys (k) or values (v); needs no image"))
        ->type_name("TEXT")
        ->check(CLI::IsMember({"q", "k", "v"}));
    command->add_flag("--outliers", m_outliers,
                      tr("Instead: outlier tokens, norms of patch tokens by layer; with attention "
                         "sinks, value norms and output rank of every head"));
    command
        ->add_option(
            "--outlier-factor", m_factor,
            tr("With --outliers and --registers: patches longer than this times the median "
               "of their layer are outliers; default 3"))
        ->type_name("NUM");
    declareClasses(*command);
    declareFiles(*command);
    m_flags.declare(*command);
    m_registerFlags.declare(*command);
    m_model.declare(*command);
    m_data.declare(*command);
    return command;
  }

  int run(Terminal& terminal, std::stop_token stop) override {
    check();
    prepareOutput("--csv", m_csv, terminal);
    prepareOutput("--output", m_output, terminal);
    prepareOutput("--map", m_map, terminal);
    m_session = m_model.open(terminal);
    m_masks = m_model.masksFor(m_session->info());
    if (!m_composition.empty()) {
      runComposition(terminal);
      return kExitOk;
    }
    readRequest(terminal);
    ProgressBar bar(terminal);
    if (m_registers.registers > 0)
      runRegisters(bar.callback(), terminal, stop);
    else if (m_outliers)
      runOutliers(bar.callback(), terminal, stop);
    else if (m_attribution)
      runAttribution(bar.callback(), terminal, stop);
    else if (!m_parts.empty())
      runParts(bar.callback(), terminal, stop);
    else
      runSweep(bar.callback(), terminal, stop);
    return kExitOk;
  }

 private:
  void declareClasses(CLI::App& command) {
    command
        .add_option(
            "--class", m_classText,
            tr("Class to watch, by index or name; default: the one predicted for the image"))
        ->type_name("TEXT");
    command
        .add_option("--against", m_againstText,
                    tr("Second class of --metric difference, or of --attribution; default for the "
                       "metric: the one predicted for the other image, else the second best"))
        ->type_name("TEXT");
    command
        .add_option("--samples", m_samples,
                    tr("With --replace mean, and --registers with --data: use at most this many "
                       "images of the validation split of --data; default 64, 0: all"))
        ->type_name("INT")
        ->check(CLI::NonNegativeNumber.description(""));
  }

  void declareFiles(CLI::App& command) {
    command
        .add_option("-o,--output", m_output,
                    tr("Write the heatmap (layers x heads or tokens, or head x head) as PNG; - for "
                       "standard output"))
        ->type_name("FILE");
    command
        .add_option("--map", m_map,
                    tr("With --registers: write what the class token attends to in every layer, "
                       "before and after, as PNG; -o writes the norms"))
        ->type_name("FILE");
    declareCsv(command, m_csv, tr("Write the numbers as CSV; - for standard output"));
    declareJson(command, m_json);
  }

  /// What can be said before the model is loaded.
  void check() {
    m_model.require();
    m_flags.read(&m_options);
    m_registerFlags.read(&m_registers);
    valueOrThrow(sweepColumns(m_options));
    for (const std::string& text : m_partTexts)
      m_parts.push_back(valueOrThrow(interventionFromText(text)));
    const int modes = (m_attribution ? 1 : 0) + (m_outliers ? 1 : 0) +
                      (m_composition.empty() ? 0 : 1) + (m_parts.empty() ? 0 : 1) +
                      (m_registers.registers > 0 ? 1 : 0);
    if (modes > 1)
      refuseUsage("--part", tr("give one of --part, --attribution, --composition, --outliers and "
                               "--registers"));
    if (m_registers.registers == 0 && (!m_registerFlags.empty() || !m_map.empty()))
      refuseUsage(m_map.empty() ? "--neurons" : "--map", tr("needs --registers, at least 1"));
    if (m_image.empty() && m_composition.empty()) refuseUsage("image", tr("give an image"));
    chooseReplacement();
    if (m_options.replace == "image" && m_other.empty())
      refuseUsage("--other", tr("give the image whose activations are put in place"));
    if (!m_output.empty() && (m_attribution || !m_parts.empty()))
      refuseUsage("--output", tr("takes a heatmap; leave --part and --attribution out"));
    if (!m_csv.empty() && !m_parts.empty())
      refuseUsage("--csv", tr("takes a table; use --json for --part"));
  }

  /// Another image is what parts are taken from, unless somebody says otherwise.
  void chooseReplacement() {
    if (m_other.empty()) return;
    const bool said = m_command->count("--replace") > 0;
    if (said && m_options.replace != "image")
      refuseUsage("--other", tr("gives activations of another image, but --replace ") +
                                 m_options.replace + tr(" takes none; leave one of the two out"));
    m_options.replace = "image";
  }

  Image readOne(const std::string& path, Terminal& terminal) const {
    Image found;
    forEachImage({path}, /*strict=*/true, terminal,
                 [&](const auto&, const Image& image) { found = image; });
    return found;
  }

  int classOf(const std::string& text) const {
    return text.empty() ? -1 : valueOrThrow(classFromText(text, m_session->info()));
  }

  void readRequest(Terminal& terminal) {
    const ModelInfo& info = m_session->info();
    requireAttention(info);
    m_request.options = m_options;
    m_read = readOne(m_image, terminal);
    m_request.image = rawImage(info, m_read);
    if (!m_other.empty()) m_request.other = rawImage(info, readOne(m_other, terminal));
    if (m_options.replace == "mean" && !m_attribution && !m_outliers && m_registers.registers == 0)
      m_request.images = valueOrThrow(makeImageSource(
          info, {m_data.describe(m_model.source).data, m_samples, m_data.matching}));
    m_request.classIndex = classOf(m_classText);
    m_request.against = classOf(m_againstText);
  }

  Json started() const {
    return {{"model", modelJson(m_session->info(), m_masks)},
            {"image", m_image.empty() ? Json(nullptr) : Json(m_image)},
            {"other", m_other.empty() ? Json(nullptr) : Json(m_other)}};
  }

  void finish(Json more, const std::string& csv, Terminal& terminal) {
    if (!m_csv.empty()) valueOrThrow(writeFileAtomically(m_csv, csv));
    if (!terminal.json()) return;
    Json result = started();
    result.update(more);
    terminal.printJson(result);
  }

  static void writeImage(const std::string& path, const Image& image, Terminal& terminal) {
    const auto png = valueOrThrow(encodePng(image, {{"Software", "Headlight"}}));
    valueOrThrow(writeFileAtomically(path, png));
    terminal.note(tr("wrote ") + path);
  }

  void runSweep(const ProgressCallback& progress, Terminal& terminal, const std::stop_token& stop) {
    const auto sweep =
        valueOrThrow(sweepInterventions(*m_session, m_masks, m_request, progress, stop));
    terminal.setStatus("");
    if (!terminal.json()) printSweep(sweep, terminal);
    if (!m_output.empty())
      writeImage(m_output, sweepImage(sweep, makeModelTitle(m_session->info())), terminal);
    finish({{"sweep", sweepJson(sweep)}}, sweepCsv(sweep), terminal);
  }

  void runParts(const ProgressCallback& progress, Terminal& terminal, const std::stop_token& stop) {
    const auto effect =
        valueOrThrow(intervene(*m_session, m_masks, m_request, m_parts, progress, stop));
    terminal.setStatus("");
    if (!terminal.json()) printEffect(effect, m_parts, terminal);
    finish({{"effect", effectJson(effect, m_parts)}}, {}, terminal);
  }

  void runAttribution(const ProgressCallback& progress, Terminal& terminal,
                      const std::stop_token& stop) {
    const auto attribution =
        valueOrThrow(attributeLogit(*m_session, m_request.image, m_masks,
                                    {m_request.classIndex, m_request.against}, progress, stop));
    terminal.setStatus("");
    if (!terminal.json()) printAttribution(attribution, terminal);
    finish({{"attribution", attributionJson(attribution)}}, attributionCsv(attribution), terminal);
  }

  void runOutliers(const ProgressCallback& progress, Terminal& terminal,
                   const std::stop_token& stop) {
    const auto report =
        valueOrThrow(findOutliers(*m_session, m_request.image, m_masks, m_factor, progress, stop));
    terminal.setStatus("");
    if (!terminal.json()) printOutliers(report, terminal);
    if (!m_output.empty())
      writeImage(m_output, outlierImage(report, makeModelTitle(m_session->info())), terminal);
    finish({{"outliers", outliersJson(report)}}, outlierCsv(report), terminal);
  }

  /// Neurons are found over --data where it is given, else over the image itself.
  ImageSource registerImages(const Image& image) const {
    if (m_data.folder.empty()) return makeImageSource(image, m_image);
    return valueOrThrow(makeImageSource(
        m_session->info(), {m_data.describe(m_model.source).data, m_samples, m_data.matching}));
  }

  void runRegisters(const ProgressCallback& progress, Terminal& terminal,
                    const std::stop_token& stop) {
    const RegisterRequest request{m_request.image, registerImages(m_read), m_registers, m_factor};
    const auto report = valueOrThrow(applyRegisters(*m_session, request, m_masks, progress, stop));
    terminal.setStatus("");
    if (!terminal.json()) printRegisters(report, terminal);
    const std::string model = makeModelTitle(m_session->info());
    if (!m_output.empty())
      writeImage(m_output, registersImage(report, RegisterImageKind::Norms, model), terminal);
    if (!m_map.empty())
      writeImage(m_map, registersImage(report, RegisterImageKind::Maps, model), terminal);
    finish({{"registers", registersJson(report)}}, registersCsv(report), terminal);
  }

  void runComposition(Terminal& terminal) {
    const auto composition = valueOrThrow(composeHeads(*m_session));
    const CompositionInput input = compositionInputFrom(m_composition);
    if (!terminal.json()) printComposition(composition, input, terminal);
    if (!m_output.empty())
      writeImage(m_output, compositionImage(composition, input, makeModelTitle(m_session->info())),
                 terminal);
    finish({{"composition", compositionJson(composition)}}, compositionCsv(composition), terminal);
  }

  CLI::App* m_command = nullptr;
  std::string m_image, m_other, m_composition, m_classText, m_againstText, m_output, m_map, m_csv;
  std::vector<std::string> m_partTexts;
  std::vector<Intervention> m_parts;
  std::int64_t m_samples = 64;
  double m_factor = kOutlierFactor;
  bool m_attribution = false, m_outliers = false, m_json = false;
  ModelOptions m_model;
  DataOptions m_data;
  TableFlags m_flags{interventionParameters(), tr("Interventions")};
  TableFlags m_registerFlags{registerParameters(), tr("Test-time registers")};
  InterventionOptions m_options;
  RegisterOptions m_registers;
  Image m_read;
  InterventionRequest m_request;
  std::unique_ptr<InferenceSession> m_session;
  MaskScheme m_masks;
};

}  // namespace

std::unique_ptr<Command> makeInterveneCommand() {
  return std::make_unique<InterveneCommand>();
}

}  // namespace headlight::cli
