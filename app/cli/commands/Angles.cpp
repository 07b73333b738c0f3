// SPDX-License-Identifier: GPL-3.0-or-later

// angles: Castling-ViT's angular kernel and others over the angle of query and key, the angles of a
// picture, and a network that fits the kernel.

#include <cstdio>
#include <numbers>

#include "app/cli/figures/AttendPictures.h"
#include "app/cli/options/Inputs.h"
#include "app/cli/options/ModelOptions.h"
#include "app/cli/terminal/Command.h"
#include "app/cli/terminal/ExitCodes.h"
#include "app/cli/terminal/ProgressBar.h"
#include "core/workbench/attribution/Explanations.h"
#include "core/workbench/figures/AngularFigure.h"
#include "core/workbench/figures/RunFigure.h"
#include "core/workbench/session/Video.h"

namespace headlight::cli {
namespace {

constexpr int kMostTerms = 50;
constexpr int kPrintedDegrees = 15;

class AnglesCommand : public Command {
 public:
  CLI::App* declare(CLI::App& app) override {
    auto* command = app.add_subcommand(
        "angles",
        "The angular kernel and others over the angle of query and key, and a picture's angles");
    command
        ->add_option("image", m_image,
                     "A picture whose queries and keys are compared, with --model; without one the "
                     "curves alone")
        ->type_name("FILE");
    command
        ->add_option("-o,--output", m_output,
                     "Also a figure, .pdf, .svg or .png, or its numbers as .csv")
        ->type_name("FILE");
    command->add_flag("--json", m_json, "The result as one JSON object");
    declareAngles(*command);
    declareFit(*command);
    m_model.declare(*command);
    return command;
  }

  int run(Terminal& terminal, std::stop_token stop) override {
    check();
    if (m_fits) return fit(terminal, stop);
    std::optional<AngleTable> table;
    std::string subject;
    if (!m_image.empty()) {
      table = measure(terminal, stop);
      subject = std::filesystem::path(m_image).filename().string() + ", " +
                m_session->info().experiment.model.name;
    }
    const AngleTable* found = table ? &*table : nullptr;
    if (!m_output.empty()) valueOrThrow(writeAngles(m_output, m_terms, found, subject));
    if (terminal.json())
      terminal.printJson(toJson(found));
    else
      print(found, subject, terminal);
    tellOutput(terminal);
    return kExitOk;
  }

 private:
  void declareAngles(CLI::App& command) {
    const char* group = "Angles";
    const auto number = [&](const char* flag, int& target, const char* help) {
      return command.add_option(flag, target, help)->type_name("INT")->group(group);
    };
    number("--layer", m_options.layer, "Pairs of this layer, from 0, or -1 for all; default -1");
    number("--head", m_options.head, "Pairs of this head, from 0, or -1 for all; default -1");
    command
        .add_option("--query", m_query,
                    "The token whose keys are told apart: class, distillation, a patch index, or "
                    "row,column; default: class, or the middle patch")
        ->type_name("TEXT")
        ->group(group);
    number("--bins", m_options.bins, "Bins of the angle, 4 to 3600; default 90");
    number("--terms", m_terms, "Terms of the series beside the linear ones; default 3")
        ->check(CLI::Range(0, kMostTerms).description(""));
  }

  void declareFit(CLI::App& command) {
    const char* group = "Fit";
    command
        .add_flag("--fit", m_fits,
                  "Instead: train a network of two layers that fits the kernel (--seed is its own)")
        ->group(group);
    command
        .add_option("--target", m_target,
                    "What it learns: kernel, or residual, what the linear terms leave; default "
                    "kernel")
        ->type_name("NAME")
        ->group(group);
    command.add_option("--hidden", m_fit.hidden, "Its hidden units; default 40")
        ->type_name("INT")
        ->group(group);
    command.add_option("--steps", m_fit.steps, "Steps of Adam; default 6000")
        ->type_name("INT")
        ->group(group);
    command.add_option("--rate", m_fit.rate, "Its learning rate; default 0.003")
        ->type_name("NUM")
        ->group(group);
  }

  /// What can be said before anything is loaded.
  void check() {
    if (!m_output.empty()) valueOrThrow(checkFigureName(m_output));
    m_fit.target = valueOrThrow(angularTargetFromName(m_target));
    m_fit.seed = static_cast<std::uint64_t>(m_model.source.seed);
    if (m_fits && !m_image.empty()) refuseUsage("--fit", "takes no picture");
    if (!m_fits && !m_image.empty()) m_model.require();
  }

  AngleTable measure(Terminal& terminal, const std::stop_token& stop) {
    const Image image = valueOrThrow(readPictureOrFrame(m_image));
    m_session = m_model.open(terminal);
    const MaskScheme masks = m_model.masksFor(m_session->info());
    m_options.token = queryFromText(m_query, m_session->info().grid).token;
    ProgressBar bar(terminal);
    const PicturePairs pairs = valueOrThrow(
        pairsOf(*m_session, rawPicture(m_session->info(), image), masks, bar.callback(), stop));
    AngleTable table = valueOrThrow(angleTable(pairs, m_options, stop));
    terminal.setStatus("");
    return table;
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
                   (m_terms == 1 ? " term" : " terms"));
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
    tellOutput(terminal);
    return kExitOk;
  }

  void tellOutput(Terminal& terminal) const {
    if (!m_output.empty()) terminal.note("written: " + m_output);
  }

  std::string m_image, m_output, m_query, m_target = "kernel";
  int m_terms = 3;
  bool m_json = false, m_fits = false;
  AngleOptions m_options;
  AngularFitOptions m_fit;
  ModelOptions m_model;
  std::unique_ptr<InferenceSession> m_session;
};

}  // namespace

std::unique_ptr<Command> makeAnglesCommand() {
  return std::make_unique<AnglesCommand>();
}

}  // namespace headlight::cli
