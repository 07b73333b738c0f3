// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/results/CachedMetrics.h"

#include <functional>
#include <optional>

#include "core/base/Clock.h"
#include "core/base/Log.h"
#include "core/base/Translation.h"
#include "core/workbench/evaluation/OpenedEvaluation.h"
#include "core/workbench/evaluation/SchemeScores.h"
#include "core/workbench/results/ResultsJson.h"

namespace headlight {
namespace {

/// One result of a kind that can be kept: what it is of, and how it is read back.
template <typename R>
class KeptOne {
 public:
  using Reader = std::function<Result<R>(const Json&)>;

  KeptOne(const CachePolicy& keeping, const MeasuredOn& on, const std::string& kind,
          const std::string& detail, Reader reader)
      : m_keeping(keeping), m_session(on.session), m_reader(std::move(reader)) {
    if (!keeping.shelf) return;
    auto key = resultKey(on.session, on.sample, on.masks, kind, detail);
    if (key) m_key = std::move(*key);
  }

  std::optional<R> find() const {
    if (!m_key || m_keeping.use == CachePolicy::Use::Measured) return std::nullopt;
    const auto kept = m_keeping.shelf->find(*m_key);
    if (!kept) return std::nullopt;
    auto result = m_reader(kept->result);
    if (result) {
      result->measured = kept->measured;
      return std::move(*result);
    }
    logInfo("A saved result could not be used and is measured again: " + result.error().text());
    return std::nullopt;
  }

  /// Unless the weights became others meanwhile: nobody knows then of which these numbers are.
  void keep(R& result) const {
    if (!m_key) return;
    const auto weights = m_session.digest();
    if (!weights || *weights != m_key->weights) return;
    const std::string now = utcNow();
    if (const auto kept = m_keeping.shelf->keep({*m_key, now, toJson(result)}); kept)
      result.measured = now;
    else
      logInfo("The result could not be saved: " + kept.error().text());
  }

 private:
  const CachePolicy& m_keeping;
  InferenceSession& m_session;
  Reader m_reader;
  std::optional<ResultKey> m_key;
};

Error nothingKept() {
  return {ErrorCode::NotFound, tr("no saved results for this model, masks and images"), ""};
}

/// The kept one, else what `measure` gives, kept.
template <typename R, typename Measure>
Result<R> keptOrMeasured(const CachePolicy& keeping, const KeptOne<R>& one, Measure measure) {
  if (auto kept = one.find()) return std::move(*kept);
  if (keeping.use == CachePolicy::Use::Kept) return nothingKept();
  Result<R> measured = measure();
  if (measured) one.keep(*measured);
  return measured;
}

/// For several at once: those that are not kept are measured together.
template <typename R, typename What, typename MakeOne, typename Measure>
Result<std::vector<R>> keptOrMeasuredAll(const CachePolicy& keeping,
                                         const std::vector<What>& wanted, MakeOne makeOne,
                                         Measure measure) {
  std::vector<KeptOne<R>> ones;
  std::vector<std::optional<R>> results;
  std::vector<What> missing;
  for (const What& what : wanted) {
    ones.push_back(makeOne(what));
    results.push_back(ones.back().find());
    if (!results.back()) missing.push_back(what);
  }
  if (!missing.empty() && keeping.use == CachePolicy::Use::Kept) return nothingKept();
  if (!missing.empty()) {
    Result<std::vector<R>> measured = measure(missing);
    if (!measured) return measured.error();
    auto next = measured->begin();
    for (std::size_t i = 0; i < results.size(); ++i)
      if (!results[i]) ones[i].keep(results[i].emplace(std::move(*next++)));
  }
  std::vector<R> all;
  for (auto& result : results)
    all.push_back(std::move(*result));
  return all;
}

/// Results of schemes under one kind of key, and how they are read back.
struct SchemeKind {
  const char* name;
  Result<SchemeResult> (*read)(const Json&, const ModelInfo&);
};

template <typename Measure>
Result<std::vector<SchemeResult>> keptSchemes(const CachePolicy& keeping, const MeasuredOn& on,
                                              const SchemeKind& kind,
                                              const std::vector<MaskScheme>& schemes,
                                              Measure measure) {
  return guarded(kind.name, [&] {
    const auto readBack = [&](const Json& json) { return kind.read(json, on.session.info()); };
    return keptOrMeasuredAll<SchemeResult>(
        keeping, schemes,
        [&](const MaskScheme& scheme) {
          return KeptOne<SchemeResult>(keeping, {on.session, on.sample, scheme}, kind.name, "",
                                       readBack);
        },
        measure);
  });
}

}  // namespace

Result<std::vector<HeadValues>> keptHeads(const CachePolicy& keeping, const MeasuredOn& on,
                                          const std::vector<HeadMetric>& measures,
                                          const ProgressCallback& progress, std::stop_token stop) {
  return guarded("heads", [&] {
    return keptOrMeasuredAll<HeadValues>(
        keeping, measures,
        [&](HeadMetric measure) {
          return KeptOne<HeadValues>(keeping, on, "heads", findInfo(measure).name,
                                     [&on, measure](const Json& json) {
                                       return headValuesFrom(json, measure, on.session.info());
                                     });
        },
        [&](const std::vector<HeadMetric>& missing) {
          return measureHeadMetrics(on.session, on.sample, on.masks, missing, progress, stop);
        });
  });
}

Result<LayerSimilarity> keptSimilarity(const CachePolicy& keeping, const MeasuredOn& on,
                                       const ProgressCallback& progress, std::stop_token stop) {
  return guarded("similarity", [&] {
    const KeptOne<LayerSimilarity> one(keeping, on, "similarity", "", [&](const Json& json) {
      return similarityFrom(json, on.session.info());
    });
    return keptOrMeasured(keeping, one, [&] {
      return measureSimilarity(on.session, on.sample, on.masks, progress, stop);
    });
  });
}

Result<BranchReport> cachedBranchReport(const CachePolicy& keeping, const MeasuredOn& on,
                                        const ProgressCallback& progress, std::stop_token stop) {
  return guarded("drop-branch", [&] {
    const KeptOne<BranchReport> one(keeping, on, "castling", "", [&](const Json& json) {
      return branchReportFrom(json, on.session.info());
    });
    return keptOrMeasured(keeping, one, [&] {
      return evaluateWithoutBranch(on.session, on.sample, on.masks, progress, stop);
    });
  });
}

Result<std::vector<SchemeResult>> keptEvaluations(const CachePolicy& keeping, const MeasuredOn& on,
                                                  const std::vector<MaskScheme>& schemes,
                                                  const ProgressCallback& progress,
                                                  std::stop_token stop) {
  return guarded("evaluation", [&] {
    requireAccuracy(on.session.info());  // before weights and images are read for their digests
    return valueOrThrow(keptSchemes(keeping, on, {"accuracy", schemeResultFrom}, schemes,
                                    [&](const std::vector<MaskScheme>& missing) {
                                      return evaluateSchemes(on.session, on.sample, missing,
                                                             progress, stop);
                                    }));
  });
}

Result<std::vector<SchemeResult>> keptScores(const CachePolicy& keeping, const MeasuredOn& on,
                                             const std::vector<MaskScheme>& schemes,
                                             const ProgressCallback& progress,
                                             std::stop_token stop) {
  return keptSchemes(keeping, on, {"scores", schemeScoresFrom}, schemes,
                     [&](const std::vector<MaskScheme>& missing) {
                       return scoreSchemes(on.session, on.sample, missing, progress, stop);
                     });
}

std::string measuredText(const std::string& measured) {
  return measured.empty() ? std::string() : "measured on " + dateText(measured);
}

}  // namespace headlight
