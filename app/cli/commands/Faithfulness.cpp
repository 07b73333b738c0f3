// SPDX-License-Identifier: GPL-3.0-or-later

// faithfulness: which heatmaps are faithful to a model, over pictures or a data set.

#include "app/cli/options/FedPictures.h"
#include "app/cli/reports/StudyText.h"
#include "app/cli/terminal/Command.h"
#include "app/cli/terminal/ExitCodes.h"
#include "app/cli/terminal/ProgressBar.h"
#include "core/base/files/Files.h"
#include "core/workbench/attribution/FaithfulnessStudy.h"

namespace headlight::cli {
namespace {

class FaithfulnessCommand : public Command {
 public:
  CLI::App* declare(CLI::App& app) override {
    auto* command = app.add_subcommand(
        "faithfulness", "Which heatmaps are faithful to the model: deletion and insertion");
    m_pictures.declare(*command, /*ofMaps=*/false);
    command
        ->add_option("--class", m_classText,
                     "The class that is asked about, its index or name; default: of each picture "
                     "the one that is predicted")
        ->type_name("TEXT");
    command
        ->add_option("--layer", m_options.way.layer,
                     "Of methods that are of a layer, from 0; default: the last")
        ->type_name("INT");
    command
        ->add_option("--steps", m_options.removal.steps,
                     "In how many steps all patches go; 0: one by one; default 32")
        ->type_name("INT")
        ->check(CLI::NonNegativeNumber.description(""));
    command
        ->add_option("--random-orders", m_options.removal.randomOrders,
                     "Random orders of each picture that are averaged; default 4")
        ->type_name("INT")
        ->check(CLI::PositiveNumber.description(""));
    command->add_option("--csv", m_csv, "Write the table; - for standard output")
        ->type_name("FILE");
    command->add_flag("--json", m_json, "The result as one JSON object");
    m_pictures.declareSources(*command);
    return command;
  }

  int run(Terminal& terminal, std::stop_token stop) override {
    m_pictures.check();
    if (m_pictures.maps) throw Failure(needsModel(m_pictures.maps->file.string()));
    prepareOutput("--csv", m_csv, terminal);
    const auto session = m_pictures.open(terminal);
    const MaskScheme masks = m_pictures.model.masksFor(session->info());
    if (!m_classText.empty())
      m_options.way.classIndex = valueOrThrow(classFromText(m_classText, session->info()));
    const ImageSource feed = m_pictures.feed(*session);
    ProgressBar bar(terminal);
    const auto study =
        valueOrThrow(studyFaithfulness(*session, feed, masks, m_options, bar.callback(), stop));
    terminal.setStatus("");
    warnOfUnread(study.fed, terminal);
    for (const std::string& left : study.left)
      terminal.warning("left out: " + left);
    if (!m_csv.empty()) valueOrThrow(writeFileAtomically(m_csv, studyCsv(study.methods)));
    if (terminal.json())
      terminal.printJson(toJson(study, modelJson(session->info(), masks)));
    else
      print(study, terminal);
    return kExitOk;
  }

 private:
  static void print(const FaithfulnessStudy& study, Terminal& terminal) {
    terminal.print("faithfulness of heatmaps; " + fedText(study.fed));
    printStudy(study.methods, terminal);
  }

  static Json toJson(const FaithfulnessStudy& study, const Json& model) {
    return {{"model", model},
            {"pictures", study.fed.pictures},
            {"unread", study.fed.unread},
            {"left_out", study.left},
            {"faithfulness", studyJson(study.methods)}};
  }

  std::string m_classText, m_csv;
  bool m_json = false;
  StudyOptions m_options;
  FedPictures m_pictures;
};

}  // namespace

std::unique_ptr<Command> makeFaithfulnessCommand() {
  return std::make_unique<FaithfulnessCommand>();
}

}  // namespace headlight::cli
