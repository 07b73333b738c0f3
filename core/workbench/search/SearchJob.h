// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What the methods of a search have in common: the folder, what is known so far, the trained model
// that is looked at. Internal to core/workbench/search.

#include <memory>
#include <optional>

#include "core/base/files/FolderLock.h"
#include "core/base/files/OpenFolder.h"
#include "core/workbench/evaluation/HeadMetrics.h"
#include "core/workbench/search/SchemeSearch.h"
#include "core/workbench/session/InferenceSession.h"

namespace headlight {

class SearchJob {
 public:
  /// Takes the folder. Throws Failure.
  SearchJob(const SearchPlan& plan, const std::filesystem::path& output,
            const SearchObserver& observer, std::stop_token stop);

  const SearchPlan& plan() const { return m_plan; }
  const SearchObserver& observer() const { return m_observer; }
  const OpenFolder& folder() const { return m_folder; }
  const std::stop_token& stop() const { return m_stop; }
  SearchReport report;

  MaskShape shape() const;
  /// Throws Failure (Canceled) where it was asked to.
  void stopIfAsked() const;
  void decide(const SearchDecision& decision);
  /// Numbers of heads under `key`: as they were measured before, else measured now and kept.
  std::vector<std::vector<double>> heads(const std::string& key, InferenceSession& session,
                                         const MaskScheme& scheme, HeadMetric measure);
  /// A trial, in their order: as it went before, else now.
  SearchTrial tried(InferenceSession& session, const std::string& name, const MaskScheme& scheme);
  void write(const std::string& name, const std::string& text) const;
  /// What was asked for and measured, from when the first round begins.
  void keep() const;

 private:
  void recall();

  SearchPlan m_plan;
  const SearchObserver& m_observer;
  std::stop_token m_stop;
  OpenFolder m_folder;
  FolderLock m_lock;
  Json m_known;  ///< search.json
  std::size_t m_trials = 0;
};

/// MaiT's quick search; the scheme that it ends with is in the job's report, like all else.
void searchByLocality(SearchJob& job);
void searchByImportance(SearchJob& job);
void tryRandomSchemes(SearchJob& job);
void hardenSoftHeads(SearchJob& job);

}  // namespace headlight
