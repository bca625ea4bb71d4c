// [T] = Known 2012, listed; [X] = Nobody 1900, not listed.
#pragma once
