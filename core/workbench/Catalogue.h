#pragma once
// The models that can be built, for programs.

#include "core/models/Registry.h"
