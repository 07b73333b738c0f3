// SPDX-License-Identifier: GPL-3.0-or-later

// angles: Castling-ViT's angular kernel and others over the angle of query and key, the angles of
// an image, its queries and keys on the sphere, and a network that fits the kernel.

#include <cstdio>
#include <numbers>

#include "app/cli/figures/AttendImages.h"
#include "app/cli/options/Inputs.h"
#include "app/cli/options/ModelOptions.h"
#include "app/cli/options/ResultFlags.h"
#include "app/cli/terminal/Command.h"
#include "app/cli/terminal/ExitCodes.h"
#include "app/cli/terminal/ProgressBar.h"
#include "core/base/Translation.h"
#include "core/workbench/attribution/Explanations.h"
#include "core/workbench/figures/AngularFigure.h"
#include "core/workbench/figures/RunFigure.h"
#include "core/workbench/figures/SphereFigure.h"
#include "core/workbench/loading/Input.h"
#include "core/workbench/loading/WeightsName.h"

namespace headlight::cli {
namespace {

constexpr int kMostTerms = 50;
constexpr int kPrintedDegrees = 15;

class AnglesCommand : public Command {
 public:
  CLI::App* declare(CLI::App& app) override {
    auto* command =
        app.add_subcommand("angles", tr("Plot the angular kernel and others against the query-key "
                                        "angle, with the angles of an image"));
    command
        ->add_option("image", m_image,
                     tr("Image whose queries and keys are compared (needs --model); without an "
                        "image, only the curves"))
        ->type_name("FILE");
    command
        ->add_option("-o,--output", m_output,
                     tr("Also write a figure (.pdf, .svg or .png) or its numbers (.csv)"))
        ->type_name("FILE");
    declareJson(*command, m_json);
    declareAngles(*command);
    declareSphere(*command);
    declareFit(*command);
    m_model.declare(*command);
    return command;
  }

  int run(Terminal& terminal, std::stop_token stop) override {
    check();
    if (m_fits) return fit(terminal, stop);
    if (m_sphere->count() > 0) return sphere(terminal, stop);
    std::optional<AngleTable> table;
    std::string subject;
    if (!m_image.empty()) {
      table = measure(terminal, stop);
      subject = imageSubject();
    }
    const AngleTable* found = table ? &*table : nullptr;
    if (!m_output.empty()) valueOrThrow(writeAngles(m_output, m_terms, found, subject));
    if (terminal.json())
      terminal.printJson(toJson(found));
    else
      print(found, subject, terminal);
    reportOutput(terminal);
    return kExitOk;
  }

 private:
  void declareAngles(CLI::App& command) {
    const char* group = "Angles";
    const auto number = [&](const char* flag, int& target, const char* help) {
      return command.add_option(flag, target, help)->type_name("INT")->group(group);
    };
    number("--layer", m_options.layer,
           tr("Layer of the pairs, counted from 0; -1: all layers. Default -1"));
    number("--head", m_options.head,
           tr("Head of the pairs, counted from 0; -1: all heads. Default -1"));
    command
        .add_option("--query", m_query,
                    tr("Query token whose keys are shown separately: class, distillation, a patch "
                       "index, or row,column; default: class, or the middle patch"))
        ->type_name("TEXT")
        ->group(group);
    number("--bins", m_options.bins, tr("Number of angle bins, 4 to 3600; default 90"));
    number("--terms", m_terms, tr("Series terms in addition to the linear ones; default 3"))
        ->check(CLI::Range(0, kMostTerms).description(""));
  }

  void declareSphere(CLI::App& command) {
    const char* group = "Sphere";
    m_sphere = command.add_option("--sphere", m_sphereOptions.dimensions,
                                  tr("Instead: the queries and keys of --layer and --head (-1: "
                                     "each head) and their image on the circle (2) or the sphere "
                                     "(3), by PCA of the unit vectors"));
    m_sphere->type_name("INT")->group(group);
    command
        .add_option("--azimuth", m_view.azimuth,
                    tr("Viewing angle of the figure about the third axis, degrees; default 30"))
        ->type_name("NUM")
        ->group(group);
    command
        .add_option("--elevation", m_view.elevation,
                    tr("Viewing angle of the figure above the first two axes, degrees; default "
                       "20"))
        ->type_name("NUM")
        ->group(group);
  }

  void declareFit(CLI::App& command) {
    const char* group = "Fit";
    command
        .add_flag("--fit", m_fits,
                  tr("Instead: train a two-layer network that fits the kernel (uses --seed)"))
        ->group(group);
    command
        .add_option(
            "--target", m_target,
            tr("Target: kernel, or residual (the kernel minus its linear terms); default kernel"))
        ->type_name("NAME")
        ->group(group);
    command.add_option("--hidden", m_fit.hidden, tr("Hidden units of the network; default 40"))
        ->type_name("INT")
        ->group(group);
    command.add_option("--steps", m_fit.steps, tr("Steps of Adam; default 6000"))
        ->type_name("INT")
        ->group(group);
    command.add_option("--rate", m_fit.rate, tr("Learning rate of the network; default 0.003"))
        ->type_name("NUM")
        ->group(group);
  }

  /// What can be said before anything is loaded.
  void check() {
    if (!m_output.empty()) valueOrThrow(checkFigureName(m_output));
    m_fit.target = valueOrThrow(angularTargetFromName(m_target));
    m_fit.seed = static_cast<std::uint64_t>(m_model.source.seed);
    if (m_fits && !m_image.empty()) refuseUsage("--fit", tr("takes no image"));
    if (m_sphere->count() > 0 && m_fits) refuseUsage("--sphere", tr("does not go with --fit"));
    if (m_sphere->count() > 0 && m_image.empty()) refuseUsage("--sphere", tr("needs an image"));
    if (!m_fits && !m_image.empty()) m_model.require();
  }

  ImagePairs pairsOfImage(Terminal& terminal, const std::stop_token& stop) {
    const Image image = valueOrThrow(readImageAt(m_image));
    m_session = m_model.open(terminal);
    requireAttention(m_session->info());
    const MaskScheme masks = m_model.masksFor(m_session->info());
    m_options.token = queryFromText(m_query, m_session->info().grid).token;
    ProgressBar bar(terminal);
    ImagePairs pairs = valueOrThrow(
        loadPairs(*m_session, rawImage(m_session->info(), image), masks, bar.callback(), stop));
    terminal.setStatus("");
    return pairs;
  }

  AngleTable measure(Terminal& terminal, const std::stop_token& stop) {
    const ImagePairs pairs = pairsOfImage(terminal, stop);
    return valueOrThrow(angleTable(pairs, m_options, stop));
  }

  std::string imageSubject() const {
    return std::filesystem::path(m_image).filename().string() + ", " +
           makeModelTitle(m_session->info());
  }

  int sphere(Terminal& terminal, const std::stop_token& stop) {
    const ImagePairs pairs = pairsOfImage(terminal, stop);
    m_sphereOptions.layer = m_options.layer;
    m_sphereOptions.head = m_options.head;
    m_sphereOptions.token = m_options.token;
    const SphereTable table = valueOrThrow(sphereTable(pairs, m_sphereOptions, stop));
    if (!m_output.empty()) valueOrThrow(writeSphere(m_output, table, m_view, imageSubject()));
    if (terminal.json())
      terminal.printJson(sphereJson(table));
    else
      for (const SphereHead& head : table.heads)
        terminal.print(imageSubject() + ", layer " + std::to_string(head.layer) + ", head " +
                       std::to_string(head.head) + ": " + sphereText(head));
    if (!terminal.json() && !table.note.empty()) terminal.print(table.note);
    reportOutput(terminal);
    return kExitOk;
  }

  static Json pointsJson(const SpherePoints& points) {
    return {{"inputs", points.inputs}, {"images", points.images}, {"shares", points.shares}};
  }

  Json sphereJson(const SphereTable& table) const {
    Json heads = Json::array();
    for (const SphereHead& head : table.heads)
      heads.push_back({{"layer", head.layer},
                       {"head", head.head},
                       {"width", head.width},
                       {"axes", head.axes},
                       {"axis_shares", head.axisShares},
                       {"queries", pointsJson(head.queries)},
                       {"keys", pointsJson(head.keys)}});
    return {{"image", m_image},
            {"dimensions", table.dimensions},
            {"heads", heads},
            {"token", table.token},
            {"token_text", table.tokenText},
            {"note", table.note},
            {"output", m_output.empty() ? Json(nullptr) : Json(m_output)}};
  }

  static Json panelJson(const AnglePanel& panel) {
    Json lines = Json::array();
    for (std::size_t c = 0; c < panel.curves.size(); ++c)
      lines.push_back({{"name", panel.curves[c].name},
                       {"scale", panel.scales[c]},
                       {"degrees", panel.curves[c].keys},
                       {"values", panel.curves[c].values},
                       {"deviations", panel.curves[c].deviations}});
    return lines;
  }

  Json toJson(const AngleTable* table) const {
    Json json = {{"expansion", panelJson(expansionPanel(m_terms))},
                 {"kernels", panelJson(kernelsPanel(table))},
                 {"picture", nullptr},
                 {"output", m_output.empty() ? Json(nullptr) : Json(m_output)}};
    if (!table) return json;
    json["picture"] = {{"image", m_image},
                       {"of", table->subject},
                       {"pairs", table->pairs},
                       {"mean", table->mean},
                       {"deviation", table->deviation},
                       {"share", table->share},
                       {"token", table->tokenText},
                       {"token_angles", table->tokenAngles},
                       {"note", table->note},
                       {"token_note", table->tokenNote}};
    return json;
  }

  void print(const AngleTable* table, const std::string& subject, Terminal& terminal) const {
    terminal.print("  degrees  1 - t/pi    linear  residual  with " + std::to_string(m_terms) +
                   (m_terms == 1 ? tr(" term") : tr(" terms")));
    for (int degree = 0; degree <= 180; degree += kPrintedDegrees) {
      const double angle = degree * std::numbers::pi / 180;
      char line[96];
      std::snprintf(line, sizeof line, "  %7d %9.4f %9.4f %9.4f %9.4f", degree,
                    angularKernel(angle), angularLinear(angle), angularResidual(angle),
                    angularPartial(angle, m_terms));
      terminal.print(line);
    }
    if (!table) return;
    terminal.print(subject + ", " + table->subject + ": " + anglesText(*table));
  }

  int fit(Terminal& terminal, const std::stop_token& stop) {
    ProgressBar bar(terminal);
    const AngularFit fitted = valueOrThrow(fitAngularKernel(m_fit, bar.callback(), stop));
    terminal.setStatus("");
    if (!m_output.empty()) valueOrThrow(writeFit(m_output, fitted));
    if (!terminal.json()) terminal.print(fitText(fitted));
    if (terminal.json())
      terminal.printJson(Json{{"target", angularTargetName(fitted.options.target)},
                              {"angles", fitted.angles},
                              {"kernel", fitted.kernel},
                              {"linear", fitted.linear},
                              {"fit", fitted.fit},
                              {"steps", fitted.steps},
                              {"losses", fitted.losses},
                              {"frequencies", fitted.frequencies},
                              {"errors", fitted.errors},
                              {"output", m_output.empty() ? Json(nullptr) : Json(m_output)}});
    reportOutput(terminal);
    return kExitOk;
  }

  void reportOutput(Terminal& terminal) const {
    if (!m_output.empty()) terminal.note("written: " + m_output);
  }

  std::string m_image, m_output, m_query, m_target = "kernel";
  int m_terms = 3;
  bool m_json = false, m_fits = false;
  AngleOptions m_options;
  CLI::Option* m_sphere = nullptr;
  SphereOptions m_sphereOptions;
  SphereView m_view;
  AngularFitOptions m_fit;
  ModelOptions m_model;
  std::unique_ptr<InferenceSession> m_session;
};

}  // namespace

std::unique_ptr<Command> makeAnglesCommand() {
  return std::make_unique<AnglesCommand>();
}

}  // namespace headlight::cli
