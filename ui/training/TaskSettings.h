// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Settings of a training that fit what the model learns: classes of images, boxes or classes of pixels
// (core/training/run/TaskChecks.h refuses the others at the start).

#include <QString>

#include <string>

#include "core/config/Experiment.h"
#include "core/config/Tasks.h"

namespace headlight {

/// The data that the program draws for a task, from no file.
std::string drawnDataFor(Task task);

/// dataParameters() with only those kinds of datasets from which the task can be learned.
const ParameterTable& dataTableFor(Task task);

/// The experiment with drawn data where its own has nothing that its model learns; for boxes
/// and classes of pixels also without the options that work on classes of images alone.
Experiment fittedToTask(Experiment experiment);

/// For boxes and classes of pixels, turns off in `experiment`, complete, what works on classes of
/// images alone.
void turnOffClassOptions(Json& experiment, Task task);

/// Why a model cannot be trained on a kind of dataset, for people; empty: it can.
QString taskProblem(Task task, const std::string& dataset);

}  // namespace headlight
