<?php

seen('include::' . __FILE__);
