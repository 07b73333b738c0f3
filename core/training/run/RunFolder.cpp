// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/run/RunFolder.h"

#include <cstdio>
#include <cstdlib>

#include "core/base/Translation.h"
#include "core/config/ConfigText.h"
#include "core/config/RunId.h"

namespace headlight {
namespace {

constexpr std::uintmax_t kMaxRunConfig = 16u << 20;

/// What a write that was killed half-way left behind: its name is never one that is read.
bool isPartial(const std::string& name) {
  return name.find(".safetensors.part") != std::string::npos ||
         name.find("config.json.part") != std::string::npos ||
         name.find("args.yaml.part") != std::string::npos ||
         name.find("evolution.bin.part") != std::string::npos;
}

bool isKeptWeights(const std::string& name) {
  return name.ends_with(".safetensors") && (name == kRunBest || name.starts_with("epoch-"));
}

void requireHarmless(const OpenFolder& folder) {
  for (const std::string& name : folder.names())
    valueOrThrow(folder.requireHarmless(name));
}

void removePartial(const OpenFolder& folder) {
  for (const std::string& name : folder.names())
    if (isPartial(name)) folder.remove(name);
}

}  // namespace

HeldFolder RunFolder::hold(OpenFolder folder) {
  requireHarmless(folder);
  FolderLock lock = valueOrThrow(FolderLock::acquire(folder));
  return {std::move(folder), std::move(lock)};
}

bool RunFolder::holdsRun(const OpenFolder& folder) {
  return folder.has(kRunConfig) || folder.has(kRunLast);
}

void RunFolder::requireRun(const OpenFolder& folder) {
  if (holdsRun(folder)) return;
  throw Failure(
      {ErrorCode::NotFound, tr("contains no run: it has no config.json"), folder.path().string()});
}

RunFolder RunFolder::create(const std::filesystem::path& path) {
  return create(hold(valueOrThrow(OpenFolder::make(path))));
}

RunFolder RunFolder::create(HeldFolder held) {
  RunFolder run(std::move(held.files), std::move(held.lock));
  const OpenFolder& folder = run.files();
  requireHarmless(folder);
  if (holdsRun(folder))
    throw Failure({ErrorCode::InvalidArgument,
                   tr("already contains a run; resume it or choose another folder"),
                   folder.path().string()});
  if (folder.has(kTimmArgs))
    throw Failure(
        {ErrorCode::InvalidArgument,
         tr("has the args.yaml of a timm run, which would be overwritten; choose another folder"),
         folder.path().string()});
  removePartial(folder);
  return run;
}

RunFolder RunFolder::open(const std::filesystem::path& path) {
  const OpenFolder folder = valueOrThrow(OpenFolder::open(path));
  requireRun(folder);  // before a lock is left in a folder of something else
  return open(hold(folder));
}

RunFolder RunFolder::open(HeldFolder held) {
  RunFolder run(std::move(held.files), std::move(held.lock));
  requireRun(run.files());
  requireHarmless(run.files());
  removePartial(run.files());
  return run;
}

std::string RunFolder::keptName(std::int64_t epoch) {
  char name[64];
  std::snprintf(name, sizeof name, "epoch-%04lld.safetensors", static_cast<long long>(epoch));
  return name;
}

std::int64_t RunFolder::keptEpoch(const std::string& name) {
  constexpr std::size_t kPrefix = 6;
  if (!name.starts_with("epoch-")) return 0;
  const std::int64_t epoch = std::strtoll(name.c_str() + kPrefix, nullptr, 10);
  return epoch > 0 && name == keptName(epoch) ? epoch : 0;
}

void RunFolder::requireNoneLost() const {
  std::string proof = m_lock ? m_lock->note() : std::string();
  for (const std::string& name : m_files.names())
    if (isKeptWeights(name)) proof = name + " was written after one";
  if (proof.empty()) return;
  throw Failure({ErrorCode::InvalidFile,
                 tr("is missing, though the run had a checkpoint (") + proof +
                     tr("): continuing would start at step 0 and overwrite saved files. Restore "
                        "it, or start a new run in another folder, with best.safetensors, if it "
                        "exists, as training.weights"),
                 last().string()});
}

void RunFolder::noteCheckpoint(std::int64_t step) {
  if (m_noted || !m_lock) return;
  // Where it cannot be written down, the weights that are kept tell as much.
  m_noted = m_lock->setNote("the first at step " + std::to_string(step)).ok();
}

Error RunFolder::goneError(std::int64_t step, std::int64_t savedStep) const {
  const std::string since = savedStep < 0
                                ? tr("before there was a checkpoint")
                                : tr("with its checkpoint of step ") + std::to_string(savedStep) +
                                      tr("; the steps since (") + std::to_string(step - savedStep) +
                                      tr(") are not saved either");
  return {ErrorCode::Io,
          tr("the run folder was deleted at step ") + std::to_string(step) + tr(" of the run, ") +
              since + tr(". Nothing can be resumed; start a new run"),
          path().string()};
}

Result<void> RunFolder::writeConfig(Json config, const std::string& run) const {
  config[kRunKey] = run;
  return m_files.write(kRunConfig,
                       config.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
}

Json RunFolder::readConfig() const {
  const std::string text = valueOrThrow(m_files.read(kRunConfig, kMaxRunConfig));
  auto config = parseConfigJson(text, this->config().string());
  if (config || !hasLast()) return valueOrThrow(std::move(config));
  Error error = config.error();
  error.message += tr(". Restore it, or delete it: resuming rewrites it from last.safetensors");
  throw Failure(error);
}

}  // namespace headlight
