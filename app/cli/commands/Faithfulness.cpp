// SPDX-License-Identifier: GPL-3.0-or-later

// faithfulness: which heatmaps are faithful to a model, over images or a dataset.

#include "app/cli/options/ImageSourceOptions.h"
#include "app/cli/options/ResultFlags.h"
#include "app/cli/reports/StudyText.h"
#include "app/cli/terminal/Command.h"
#include "app/cli/terminal/ExitCodes.h"
#include "app/cli/terminal/ProgressBar.h"
#include "core/base/Translation.h"
#include "core/base/files/Files.h"
#include "core/workbench/attribution/FaithfulnessStudy.h"

namespace headlight::cli {
namespace {

class FaithfulnessCommand : public Command {
 public:
  CLI::App* declare(CLI::App& app) override {
    auto* command = app.add_subcommand(
        "faithfulness", tr("Measure the faithfulness of explanations by deletion and insertion"));
    m_images.declare(*command, /*ofMaps=*/false);
    command
        ->add_option(
            "--class", m_classText,
            tr("Class to explain, by index or name; default: the predicted class of each image"))
        ->type_name("TEXT");
    command
        ->add_option("--layer", m_options.method.layer,
                     tr("Layer for per-layer methods, counted from 0; default: the last"))
        ->type_name("INT");
    command
        ->add_option(
            "--steps", m_options.removal.steps,
            tr("Number of steps in which all patches are removed; 0: one by one; default 32"))
        ->type_name("INT")
        ->check(CLI::NonNegativeNumber.description(""));
    command
        ->add_option("--random-orders", m_options.removal.randomOrders,
                     tr("Number of random orders averaged per image; default 4"))
        ->type_name("INT")
        ->check(CLI::PositiveNumber.description(""));
    declareCsv(*command, m_csv, tr("Write the table as CSV; - for standard output"));
    declareJson(*command, m_json);
    m_images.declareSources(*command);
    return command;
  }

  int run(Terminal& terminal, std::stop_token stop) override {
    m_images.check();
    if (m_images.maps) throw Failure(needsModel(m_images.maps->file.string()));
    prepareOutput("--csv", m_csv, terminal);
    const auto session = m_images.open(terminal);
    requireAttention(session->info());
    const MaskScheme masks = m_images.model.masksFor(session->info());
    if (!m_classText.empty())
      m_options.method.classIndex = valueOrThrow(classFromText(m_classText, session->info()));
    const ImageSource feed = m_images.feed(*session);
    ProgressBar bar(terminal);
    const auto study =
        valueOrThrow(studyFaithfulness(*session, feed, masks, m_options, bar.callback(), stop));
    terminal.setStatus("");
    warnOfUnread(study.fed, terminal);
    for (const std::string& left : study.left)
      terminal.warning(tr("left out: ") + left);
    if (!m_csv.empty()) valueOrThrow(writeFileAtomically(m_csv, studyCsv(study.methods)));
    if (terminal.json())
      terminal.printJson(toJson(study, modelJson(session->info(), masks)));
    else
      print(study, terminal);
    return kExitOk;
  }

 private:
  static void print(const FaithfulnessStudy& study, Terminal& terminal) {
    terminal.print(tr("faithfulness of explanations; ") + fedText(study.fed));
    printStudy(study.methods, terminal);
  }

  static Json toJson(const FaithfulnessStudy& study, const Json& model) {
    return {{"model", model},
            {"pictures", study.fed.images},
            {"unread", study.fed.unread},
            {"left_out", study.left},
            {"faithfulness", studyJson(study.methods)}};
  }

  std::string m_classText, m_csv;
  bool m_json = false;
  StudyOptions m_options;
  ImageSourceOptions m_images;
};

}  // namespace

std::unique_ptr<Command> makeFaithfulnessCommand() {
  return std::make_unique<FaithfulnessCommand>();
}

}  // namespace headlight::cli
