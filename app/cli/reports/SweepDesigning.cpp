// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/reports/SweepDesigning.h"

#include "app/cli/terminal/Command.h"
#include "core/base/ProgramFolder.h"
#include "core/base/Translation.h"
#include "core/base/files/Files.h"
#include "core/config/ConfigPaths.h"
#include "core/config/ConfigText.h"
#include "core/workbench/sweeps/SweepDesign.h"

namespace headlight::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kMaxBaseBytes = 16u << 20;

/// For a config; what a sweep file sets cannot vary as well.
Json baseIn(const std::string& file) {
  if (file.empty()) return Json::object();
  Json base = valueOrThrow(parseConfigJson(valueOrThrow(readFile(file, kMaxBaseBytes)), file));
  if (base.contains("variants") || base.contains("mechanisms"))
    refuseUsage("--vary", tr("applies only to a config; ") + file +
                              tr(" is a sweep file and lists its variants"));
  findPathsBeside(base, fs::absolute(file).parent_path());
  return base;
}

std::string nameOf(const std::string& file, const Json& base) {
  const std::string stem = fs::path(file).stem().string();
  if (base.contains("name") && base["name"].is_string()) return base["name"].get<std::string>();
  return stem.empty() ? "sweep" : stem;
}

}  // namespace

void SweepDesigning::declare(CLI::App& command) {
  command
      .add_option("sweep", m_file,
                  tr("A sweep file: {\"base\": an Experiment, or a sequence model's, or the path "
                     "of one, \"variants\": [{\"name\": …, \"overrides\": {\"model.mechanism\": "
                     "…}}] or \"mechanisms\": […], \"seeds\": [0, 1, 2]}; a sweep folder, which is "
                     "then also --output; or, with --vary, a config"))
      ->type_name("SWEEP");
  command
      .add_option("--vary", m_vary,
                  tr("Setting and values to vary: data.fraction=0.1,0.3,1 or model.depth=6,12; "
                     "masks= takes scheme names. Repeat it for all combinations"))
      ->type_name("PATH=A,B")
      ->expected(1)
      ->take_all();
  command
      .add_option("--seeds", m_seeds,
                  tr("Seeds instead of the file's: 0,1,2 or 0-4; default with --vary: 0"))
      ->type_name("LIST");
  command
      .add_option("--save", m_save,
                  tr("Write a sweep file with all flags applied, without training"))
      ->type_name("FILE");
}

SweepPlan SweepDesigning::designed(const ChangeBase& change) const {
  const Json base = baseIn(hereOrInstalled(m_file).string());
  std::vector<SweepFactor> factors;
  for (const std::string& text : m_vary)
    factors.push_back(valueOrThrow(sweepFactor(text)));
  const Json file = valueOrThrow(sweepFile(nameOf(m_file, base), base, factors, {0}));
  return valueOrThrow(sweepFromText(file.dump(), m_file.empty() ? "--vary" : m_file, {}, change));
}

SweepPlan SweepDesigning::plan(const ChangeBase& change) const {
  if (m_file.empty() && m_vary.empty())
    refuseUsage("sweep", tr("needs a sweep file, or --vary; see headlight-cli sweep --help"));
  SweepPlan plan =
      m_vary.empty() ? valueOrThrow(readSweep(hereOrInstalled(m_file), change)) : designed(change);
  if (m_seeds.empty()) return plan;
  return valueOrThrow(withSeeds(plan, valueOrThrow(seedsFromText(m_seeds))));
}

std::string SweepDesigning::folder() const {
  std::error_code ignored;
  return m_vary.empty() && fs::is_directory(m_file, ignored) ? m_file : "";
}

bool SweepDesigning::save(const SweepPlan& plan) const {
  if (m_save.empty()) return false;
  valueOrThrow(writeFileAtomically(m_save, plan.file));
  return true;
}

}  // namespace headlight::cli
