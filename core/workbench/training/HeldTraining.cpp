// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/training/HeldTraining.h"

#include "core/training/run/RunFolder.h"
#include "core/workbench/training/TrainingSession.h"

namespace headlight {

Result<TrainingOutcome> trainHeld(const Experiment& experiment, const HeldFolder& held,
                                  const HeldTrainingListener& listener, std::stop_token stop) {
  const bool begun = RunFolder::holdsRun(held.files);
  const auto session = valueOrThrow(begun ? TrainingSession::resume(held)
                                          : TrainingSession::begin(experiment, held));
  listener.begun(begun);
  const auto notify = [&] { listener.update(session->takeUpdate()); };
  notify();
  session->setWakeUp(notify);
  auto outcome = session->run(stop);
  session->setWakeUp({});
  notify();
  return outcome;
}

}  // namespace headlight
