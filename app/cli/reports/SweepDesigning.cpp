// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/reports/SweepDesigning.h"

#include "app/cli/terminal/Command.h"
#include "core/base/files/Files.h"
#include "core/config/ConfigPaths.h"
#include "core/config/ConfigText.h"
#include "core/workbench/sweeps/SweepDesign.h"

namespace headlight::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kMaxBaseBytes = 16u << 20;

/// Of a config; what a sweep file says of itself cannot vary as well.
Json baseIn(const std::string& file) {
  if (file.empty()) return Json::object();
  Json base = valueOrThrow(parseConfigJson(valueOrThrow(readFile(file, kMaxBaseBytes)), file));
  if (base.contains("variants") || base.contains("mechanisms"))
    refuseUsage("--vary", "is for a config; " + file + " is a sweep file and lists its variants");
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
                  "A sweep file: {\"base\": an Experiment, or a sequence model's, or the path of "
                  "one, \"variants\": "
                  "[{\"name\": …, \"overrides\": {\"model.mechanism\": …}}] or \"mechanisms\": "
                  "[…], \"seeds\": [0, 1, 2]}; the folder of a sweep, which then is --output too; "
                  "with --vary a config")
      ->type_name("SWEEP");
  command
      .add_option("--vary", m_vary,
                  "A setting and its values: data.fraction=0.1,0.3,1 or model.depth=6,12; masks= "
                  "schemes by name. Given again: every combination")
      ->type_name("PATH=A,B")
      ->expected(1)
      ->take_all();
  command
      .add_option("--seeds", m_seeds,
                  "Seeds in place of the file's: 0,1,2 or 0-4; with --vary 0 if not given")
      ->type_name("LIST");
  command
      .add_option("--save", m_save,
                  "Write the sweep file here, with all that flags say, and train nothing")
      ->type_name("FILE");
}

SweepPlan SweepDesigning::designed(const ChangeBase& change) const {
  const Json base = baseIn(m_file);
  std::vector<SweepFactor> factors;
  for (const std::string& text : m_vary)
    factors.push_back(valueOrThrow(sweepFactor(text)));
  const Json file = valueOrThrow(sweepFile(nameOf(m_file, base), base, factors, {0}));
  return valueOrThrow(sweepFromText(file.dump(), m_file.empty() ? "--vary" : m_file, {}, change));
}

SweepPlan SweepDesigning::plan(const ChangeBase& change) const {
  if (m_file.empty() && m_vary.empty())
    refuseUsage("sweep", "needs a sweep file, or --vary; headlight-cli sweep --help");
  SweepPlan plan = m_vary.empty() ? valueOrThrow(readSweep(m_file, change)) : designed(change);
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
