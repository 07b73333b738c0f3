// SPDX-License-Identifier: GPL-3.0-or-later

// The help's page of the papers' tables and figures: nothing is left out, and plans, models,
// recipes, settings, masks and plots that its commands name exist. Whether the flags do is asked in
// tests/cli/PapersPageTest.cpp.

#include "tests/PapersPage.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "core/config/Recipes.h"
#include "core/workbench/mechanisms/MechanismPlots.h"
#include "core/workbench/sweeps/Sweep.h"
#include "core/workbench/sweeps/SweepDesign.h"
#include "tests/workbench/ExplanationSupport.h"

namespace headlight {
namespace {

const std::filesystem::path kRoot = HEADLIGHT_SOURCE_DIR;

std::vector<PaperCommand> paperCommandsNamed(const std::string& name) {
  std::vector<PaperCommand> chosen;
  for (const PaperCommand& command : paperCommands())
    if (command.name == name) chosen.push_back(command);
  return chosen;
}

/// From its heading to the next.
std::string paperSection(const std::string& title) {
  const std::string page = papersPage();
  const auto begin = page.find("\n## " + title + "\n");
  if (begin == std::string::npos) return "";
  return page.substr(begin, page.find("\n## ", begin + 1) - begin);
}

/// "Table 3" to its cells behind it; a name that is there twice is an error.
std::map<std::string, std::vector<std::string>> paperRows(const std::string& section) {
  std::map<std::string, std::vector<std::string>> rows;
  std::istringstream lines(section);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("| Table ") && !line.starts_with("| Figure ")) continue;
    std::vector<std::string> cells;
    std::istringstream row(line.substr(2));
    for (std::string cell; std::getline(row, cell, '|');)
      cells.push_back(cell);
    const std::string name = cells[0].substr(0, cells[0].find_last_not_of(' ') + 1);
    EXPECT_TRUE(rows.emplace(name, std::vector(cells.begin() + 1, cells.end())).second) << name;
  }
  return rows;
}

void expectRows(const std::map<std::string, std::vector<std::string>>& rows,
                const std::string& kind, int count) {
  for (int i = 1; i <= count; ++i) {
    const std::string name = kind + " " + std::to_string(i);
    ASSERT_TRUE(rows.contains(name)) << name;
    const auto& cells = rows.at(name);
    ASSERT_EQ(cells.size(), 3u) << name << ": what it shows, command, what differs";
    EXPECT_NE(cells[1].find("`headlight-cli "), std::string::npos) << name;
    EXPECT_GT(cells[2].size(), 3u) << name;
  }
}

/// The papers' tables and figures.
const std::map<std::string, std::pair<int, int>> kPaperCounts{{"MaiT", {8, 6}},
                                                              {"IBiT", {5, 8}},
                                                              {"Castling-ViT", {7, 7}},
                                                              {"ViT-LSLA", {5, 5}},
                                                              {"AFT", {12, 12}}};

TEST(PapersPage, HasEveryTableAndFigureOnce) {
  for (const auto& [paper, counts] : kPaperCounts) {
    SCOPED_TRACE(paper);
    const auto rows = paperRows(paperSection(paper));
    expectRows(rows, "Table", counts.first);
    expectRows(rows, "Figure", counts.second);
    EXPECT_EQ(rows.size(), static_cast<std::size_t>(counts.first + counts.second));
  }
}

/// Flags of parameters have a dot. Throws Failure.
void applyPaperFlags(const PaperCommand& command, Json& base) {
  for (const auto& [flag, value] : command.flags) {
    if (flag.find('.') == std::string::npos) continue;
    const std::string path = flag.substr(2);
    valueOrThrow(isOfSequences(base) ? overrideSequenceParameter(base, path, value)
                                     : overrideParameter(base, path, value, modelCatalog()));
  }
}

void expectSweepReads(const PaperCommand& command) {
  ASSERT_EQ(command.places.size(), 1u);
  const auto plan =
      readSweep(kRoot / command.places[0], [&](Json& base) { applyPaperFlags(command, base); });
  ASSERT_TRUE(plan) << plan.error().text();
  const std::string axis = command.valueOf("--over");
  if (axis.empty()) return;
  const auto curves = sweepCurves(*plan, {}, axis);
  EXPECT_TRUE(curves) << curves.error().text();
}

TEST(PapersPage, EverySweepIsReadWithItsFlags) {
  for (const PaperCommand& command : paperCommandsNamed("sweep")) {
    SCOPED_TRACE(command.line);
    expectSweepReads(command);
  }
}

TEST(PapersPage, NamesEveryPlan) {
  std::set<std::string> named, plans;
  for (const PaperCommand& command : paperCommandsNamed("sweep"))
    named.insert(std::filesystem::path(command.places.at(0)).filename().string());
  for (const auto& entry : std::filesystem::directory_iterator(kRoot / "models/presets/sweeps"))
    plans.insert(entry.path().filename().string());
  EXPECT_EQ(named, plans);
}

TEST(PapersPage, EveryTrainingIsReadWithItsFlags) {
  const auto commands = paperCommandsNamed("train");
  EXPECT_GE(commands.size(), 4u);
  for (const PaperCommand& command : commands) {
    SCOPED_TRACE(command.line);
    const PublishedModel* model = findPublishedModel(command.valueOf("--model"));
    ASSERT_TRUE(model);
    Experiment experiment;
    experiment.model = model->config;
    Json json = experimentToJson(experiment);
    valueOrThrow(applyRecipe(json, command.valueOf("--recipe")));
    applyPaperFlags(command, json);
    const auto read = experimentFromText(json.dump(), "papers.md", modelCatalog());
    EXPECT_TRUE(read) << read.error().text();
  }
}

std::vector<std::string> commaParts(const std::string& text) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, ',');)
    parts.push_back(part);
  return parts;
}

TEST(PapersPage, EveryModelAndMechanismExists) {
  int models = 0;
  for (const PaperCommand& command : paperCommands()) {
    SCOPED_TRACE(command.line);
    std::vector<std::string> names = commaParts(command.valueOf("--models"));
    for (const std::string& name : commaParts(command.valueOf("--model")))
      names.push_back(name);
    if (command.name == "summary")
      names.insert(names.end(), command.places.begin(), command.places.end());
    for (const std::string& name : names)
      EXPECT_TRUE(findPublishedModel(name)) << name;
    models += static_cast<int>(names.size());
    const auto& known = modelCatalog().mechanisms;
    for (const std::string& name : commaParts(command.valueOf("--mechanisms")))
      EXPECT_TRUE(std::any_of(known.begin(), known.end(), [&](const Variant& variant) {
        return variant.name == name;
      })) << name;
  }
  EXPECT_GT(models, 30);
}

TEST(PapersPage, EveryMaskSchemeFitsItsModel) {
  int schemes = 0;
  for (const PaperCommand& command : paperCommands()) {
    const std::string masks = command.valueOf("--masks");
    if (masks.empty()) continue;
    SCOPED_TRACE(command.line);
    const PublishedModel* model = findPublishedModel(command.valueOf("--model"));
    ASSERT_TRUE(model);
    const auto scheme = masksFromNameOrFile(masks, makeMaskShape(model->config));
    EXPECT_TRUE(scheme) << scheme.error().text();
    ++schemes;
  }
  EXPECT_GT(schemes, 0);
}

TEST(PapersPage, EverySequenceConfigIsReadWithItsFlags) {
  const auto commands = paperCommandsNamed("sequence summary");
  ASSERT_FALSE(commands.empty());
  for (const PaperCommand& command : commands) {
    SCOPED_TRACE(command.line);
    Json json = sequenceToJson(valueOrThrow(readSequenceExperiment(kRoot / command.places.at(0))));
    for (const auto& [flag, value] : command.flags)
      valueOrThrow(overrideSequenceParameter(json, flag.substr(2), value));
    const auto read = sequenceFromJson(json);
    EXPECT_TRUE(read) << read.error().text();
  }
}

/// What --show takes for models of the papers' mechanisms.
std::set<std::string> paperPlotNames() {
  std::set<std::string> names;
  for (const char* model : {"ibit_tiny", "vit_lsla", "aft_full_tiny", "aft_conv_tiny_11_32"}) {
    const auto session = explanationSession(shrunk(findPublishedModel(model)->config));
    for (const MechanismPlotInfo& info : mechanismPlots(*session))
      names.insert(info.name);
    for (const LearnedMap& map : valueOrThrow(session->learnedMaps()))
      names.insert(map.name);
  }
  return names;
}

TEST(PapersPage, EveryPlotIsOfAMechanism) {
  const std::set<std::string> known = paperPlotNames();
  std::set<std::string> shown;
  for (const PaperCommand& command : paperCommands())
    if (const std::string name = command.valueOf("--show"); !name.empty()) shown.insert(name);
  EXPECT_GT(shown.size(), 6u);
  for (const std::string& name : shown)
    EXPECT_TRUE(known.contains(name)) << name;
}

}  // namespace
}  // namespace headlight
